import { describe, expect, test } from 'vitest';
import { ClusterError, type PodObject } from '../../cluster/api.ts';
import { createMemoryCluster, type ClusterCall, type MemoryCluster } from '../../cluster/simulated/memory.ts';
import { createSimulatedClock, type SimulatedClock } from '../../core/clock.ts';
import { createWaiter, type Waiter } from './waiter.ts';

const MINUTE = 60_000;
const LABEL = 'k8s-app=self-hosted-x';

function setUp(fault: (call: ClusterCall) => ClusterError | undefined = () => undefined): {
  cluster: MemoryCluster;
  clock: SimulatedClock;
  waiter: Waiter;
  log: string[];
} {
  const cluster = createMemoryCluster({
    fault: (call) => {
      const error = fault(call);
      return error && { error, when: 'before' };
    },
  });
  const clock = createSimulatedClock();
  const log: string[] = [];
  return { cluster, clock, log, waiter: createWaiter({ cluster, clock, log: (message) => log.push(message) }) };
}

function put(
  cluster: MemoryCluster,
  name: string,
  phase: string,
  app = 'self-hosted-x',
  namespace = 'kube-system',
): void {
  const pod: PodObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { 'k8s-app': app } },
    status: { phase },
  };
  cluster.put(pod);
}

describe('the wait for Pods with a label', () => {
  test.each([
    ['there is none', []],
    ['one of two is pending', ['Running', 'Pending']],
    ['the only one failed', ['Failed']],
    ['one has ended', ['Running', 'Succeeded']],
  ])('goes on while %s', async (_, phases) => {
    const { cluster, waiter } = setUp();
    for (const [index, phase] of phases.entries()) put(cluster, `p${index}`, phase);
    await expect(waiter.waitForPodsWithLabel(LABEL, MINUTE)).rejects.toMatchObject({ code: 'TIMED_OUT' });
  });

  test('ends when all of them run', async () => {
    const { cluster, clock, waiter, log } = setUp();
    put(cluster, 'a', 'Running');
    put(cluster, 'b', 'Pending');
    clock.at(700, () => put(cluster, 'b', 'Running'));
    await waiter.waitForPodsWithLabel(LABEL, MINUTE);
    expect(clock.now()).toBe(1000);
    expect(log).toEqual([`Found 2 Pods with label ${LABEL}.`]);
  });

  test('looks at kube-system alone, and at that label alone', async () => {
    const { cluster, waiter } = setUp();
    put(cluster, 'a', 'Pending', 'self-hosted-x', 'default');
    put(cluster, 'b', 'Pending', 'self-hosted-y');
    put(cluster, 'c', 'Running');
    await waiter.waitForPodsWithLabel(LABEL, MINUTE);
  });

  test('tells of each error and goes on, and the last one is the cause of a timeout', async () => {
    const { waiter, log } = setUp(() => new ClusterError('UNREACHABLE', 'no connection'));
    const error: unknown = await waiter.waitForPodsWithLabel(LABEL, 1000).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'TIMED_OUT', cause: { code: 'UNREACHABLE' } });
    expect(log).toEqual(Array.from({ length: 3 }, () => `Could not list the Pods with label ${LABEL}: no connection`));
  });

  test('has no cause when the cluster answered in the end', async () => {
    const { waiter } = setUp(({ number }) => (number === 0 ? new ClusterError('UNREACHABLE', 'x') : undefined));
    const error: unknown = await waiter.waitForPodsWithLabel(LABEL, 1000).catch((reason: unknown) => reason);
    expect(error).not.toHaveProperty('cause');
  });
});

describe('the wait for a Pod to disappear', () => {
  test('ends when it is not found', async () => {
    const { cluster, clock, waiter } = setUp();
    put(cluster, 'a', 'Running');
    clock.at(5100, () => cluster.remove('Pod', 'kube-system', 'a'));
    await waiter.waitForPodToDisappear('a', MINUTE);
    expect(clock.now()).toBe(5500);
  });

  test.each(['UNREACHABLE', 'FORBIDDEN', 'UNAUTHORIZED', 'TIMEOUT'] as const)(
    'never takes %s for an answer, even of a Pod that is gone',
    async (code) => {
      const { waiter, log } = setUp(() => new ClusterError(code, 'x'));
      const error: unknown = await waiter.waitForPodToDisappear('a', 1000).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'TIMED_OUT', cause: { code } });
      expect(log).toEqual([]);
    },
  );
});

describe('the wait for the API server', () => {
  test('outlasts refused connections and a bad health', async () => {
    const { cluster, clock, waiter } = setUp(({ number }) =>
      number < 3 ? new ClusterError('UNREACHABLE', 'refused') : undefined,
    );
    cluster.setHealthy(false);
    clock.at(4000, () => cluster.setHealthy(true));
    await waiter.waitForAPI(MINUTE);
    expect(clock.now()).toBe(4000);
  });
});
