import { describe, expect, test } from 'vitest';
import {
  daemonSet,
  eventsOf,
  IDLE,
  killAll,
  lifeOf,
  manifestPath,
  podsOf,
  processesOf,
  startedCluster,
  staticPod,
  until,
  writeManifest,
} from '../../../../test/support/simulated.ts';
import type { Container, PodSpec } from '../../objects.ts';
import type { SimulatedCluster } from '../cluster.ts';
import type { Timings } from '../timings.ts';
import { createBackOff } from './back-off.ts';

const NOBODY = { port: 9, host: '127.0.0.1' };

async function running(container: Partial<Container>, timings: Partial<Timings> = {}): Promise<SimulatedCluster> {
  const cluster = await startedCluster({ timings });
  const node = cluster.node('w1');
  writeManifest(node, 'x', staticPod('x', { containers: [{ ...IDLE, ...container }] }));
  await until(cluster, () => node.processes.length === 1);
  return cluster;
}

/** Starts and ends of processes on the worker. */
function eventsOn({ events }: SimulatedCluster) {
  return events.flatMap((event) =>
    event.type === 'process' && event.node === 'w1' && (event.state === 'started' || event.state === 'ended')
      ? [event]
      : [],
  );
}

/** Seconds from each end of a process to the next start. */
function pausesOf(cluster: SimulatedCluster): readonly number[] {
  const life = eventsOn(cluster);
  return life.slice(1).flatMap(({ state, at }, index) => (state === 'started' ? [(at - life[index]!.at) / 1000] : []));
}

/** Seconds from each start of a process to its end. */
function livesOf(cluster: SimulatedCluster): readonly number[] {
  const life = eventsOn(cluster);
  return life.slice(1).flatMap(({ state, at }, index) => (state === 'ended' ? [(at - life[index]!.at) / 1000] : []));
}

describe('a container that ends', () => {
  test('is started again at once, and then after pauses from 10 to 300 seconds', async () => {
    const cluster = await startedCluster();
    cluster.failStarts(({ program }) => (program === 'idle' ? 'broken' : undefined));
    writeManifest(cluster.node('w1'), 'x', staticPod('x'));
    await cluster.clock.sleep(30 * 60_000);
    const pauses = pausesOf(cluster);
    const wanted = [0, 10, 20, 40, 80, 160, 300, 300];
    expect(pauses.length).toBeGreaterThanOrEqual(wanted.length);
    for (const [index, pause] of wanted.entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(pause);
      // The kubelet looks at the Pod now and then.
      expect(pauses[index]).toBeLessThan(pause === 0 ? 2.5 : 1.5 * pause + 15);
    }
    expect(eventsOf(cluster, 'process', { program: 'idle', state: 'ended' })[0]).toMatchObject({
      exitCode: 1,
      message: 'broken',
      attempt: 0,
    });
    expect(podsOf(cluster, 'x-w1')[0]!.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    });
  });

  test('is started at once again after ten good minutes', async () => {
    const cluster = await running({});
    const node = cluster.node('w1');
    for (const good of [1000, 60_000, 11 * 60_000, 60_000]) {
      await cluster.clock.sleep(good);
      killAll(node, 'idle');
      await until(cluster, () => processesOf(node, 'idle').length === 1);
    }
    const [first, second, third, fourth] = pausesOf(cluster);
    expect(first).toBeLessThan(2.5);
    expect(second).toBeGreaterThanOrEqual(10);
    expect(third).toBeLessThan(2.5);
    expect(fourth).toBeGreaterThanOrEqual(10);
  });

  test('has its pauses forgotten by a kubelet that is restarted, and by a Pod made anew', async () => {
    for (const forget of ['kubelet', 'Pod'] as const) {
      const cluster = await running({});
      const node = cluster.node('w1');
      for (const _ of [1, 2]) {
        killAll(node, 'idle');
        await until(cluster, () => processesOf(node, 'idle').length === 1);
      }
      const from = cluster.clock.now();
      if (forget === 'kubelet') node.restartKubelet();
      else writeManifest(node, 'x', staticPod('x', { priority: 1 }));
      await cluster.clock.sleep(40_000);
      killAll(node, 'idle');
      await until(cluster, () => processesOf(node, 'idle').length === 1);
      expect(cluster.clock.now() - from).toBeLessThan(43_000);
    }
  });
});

test('pauses are remembered by container', () => {
  let now = 0;
  const backOff = createBackOff({ first: 10, longest: 40, forgottenAfter: 100 }, () => now);
  expect(backOff.pauseOf('a', 0)).toBe(0);
  backOff.note('a', 0);
  expect(backOff.pauseOf('b', 5)).toBe(0);
  now = 7;
  expect(backOff.pauseOf('a', 5)).toBe(8);
  for (const pause of [20, 40, 40]) {
    backOff.note('a', now);
    expect(backOff.pauseOf('a', now)).toBe(pause);
  }
  now = 108;
  expect(backOff.pauseOf('a', 107)).toBe(39);
  expect(backOff.pauseOf('a', 108)).toBe(0);
});

describe('a probe', () => {
  const failing = { httpGet: NOBODY, periodSeconds: 10, failureThreshold: 3 };
  /** A program that is known here: others pass all of their probes. */
  const KNOWN = { command: ['etcd'] };

  test('of liveness ends a container when it has failed often enough', async () => {
    const cluster = await running({ ...KNOWN, livenessProbe: { ...failing, initialDelaySeconds: 10 } });
    await cluster.clock.sleep(120_000);
    for (const seconds of livesOf(cluster)) {
      expect(seconds).toBeGreaterThanOrEqual(30);
      expect(seconds).toBeLessThan(31.5);
    }
    expect(livesOf(cluster).length).toBeGreaterThan(1);
  });

  test('of readiness keeps a Pod from being ready, and ends nothing', async () => {
    const cluster = await running({ ...KNOWN, readinessProbe: { ...failing, periodSeconds: 1 } });
    await cluster.clock.sleep(120_000);
    expect(cluster.node('w1').pods).toMatchObject([{ state: 'running', isReady: false }]);
    expect(livesOf(cluster)).toEqual([]);
  });

  test('at the start keeps the others waiting, and ends a container that never starts', async () => {
    const startupProbe = { ...failing, failureThreshold: 6 };
    const cluster = await running({ ...KNOWN, startupProbe, livenessProbe: { ...failing, failureThreshold: 1 } });
    await cluster.clock.sleep(90_000);
    expect(livesOf(cluster)[0]).toBeGreaterThanOrEqual(50);
    expect(livesOf(cluster)[0]).toBeLessThan(51.5);
  });

  test.each([0, -5])('has the defaults of Kubernetes in the place of numbers that are %i', async (number) => {
    const numbers = { periodSeconds: number, failureThreshold: number, timeoutSeconds: number };
    const livenessProbe = { httpGet: NOBODY, initialDelaySeconds: -20, ...numbers };
    const cluster = await running({ ...KNOWN, livenessProbe });
    await cluster.clock.sleep(60_000);
    // Three failures, ten seconds apart, from the start on.
    expect(livesOf(cluster)[0]).toBeGreaterThanOrEqual(20);
    expect(livesOf(cluster)[0]).toBeLessThan(21.5);
  });

  test('asks for a port by its name', async () => {
    const named = (name: string) => ({
      ...KNOWN,
      ports: [{ name: 'p', containerPort: 6443 }],
      readinessProbe: { httpGet: { port: name, host: '10.0.0.11', path: '/livez' }, periodSeconds: 1 },
    });
    for (const [name, isReady] of [
      ['p', true],
      ['q', false],
    ] as const) {
      const cluster = await running(named(name));
      await cluster.clock.sleep(10_000);
      expect(cluster.node('w1').pods).toMatchObject([{ isReady }]);
    }
  });

  test('goes where a redirect sends it, so that it proves nothing of the server behind', async () => {
    const httpGet = { port: 9, host: '10.0.0.21' };
    const cluster = await running({ ...KNOWN, readinessProbe: { httpGet, periodSeconds: 1 } });
    await cluster.clock.sleep(5000);
    const pod = () => cluster.node('w1').pods[0];
    expect(pod()).toMatchObject({ isReady: false });
    const { redirect } = cluster.login('w1').host;
    await redirect.set({ from: [{ address: '10.0.0.21', port: 9 }], to: { address: '10.0.0.21', port: 2379 } });
    await cluster.clock.sleep(5000);
    expect(pod()).toMatchObject({ isReady: true });
    await redirect.remove();
    await cluster.clock.sleep(5000);
    expect(pod()).toMatchObject({ isReady: false });
  });

  test('is not passed by a server that has no answer in time', async () => {
    const httpGet = { port: 6443, host: '10.0.0.11', path: '/livez' };
    const livenessProbe = { httpGet, periodSeconds: 2, failureThreshold: 3 };
    const cluster = await running({ ...KNOWN, livenessProbe }, { serverAnswers: [8000, 8000] });
    await cluster.clock.sleep(10_000);
    expect(livesOf(cluster)).toEqual([]);
    killAll(cluster.node('cp1'), 'kube-apiserver');
    await cluster.clock.sleep(20_000);
    expect(livesOf(cluster)).toHaveLength(1);
  });

  test('of a program that is not known here is always passed', async () => {
    const cluster = await running({ livenessProbe: failing, readinessProbe: failing, startupProbe: failing });
    await cluster.clock.sleep(120_000);
    expect(livesOf(cluster)).toEqual([]);
    expect(cluster.node('w1').pods).toMatchObject([{ isReady: true }]);
  });
});

describe('the time that a Pod has to end', () => {
  /** SIGTERM does nothing any more. */
  function deafen({ world }: SimulatedCluster): void {
    for (const { processes } of world.machines)
      for (const process of processes.values()) if (process.program === 'idle') process.onTerminate = () => {};
  }

  async function ended(cluster: SimulatedCluster, from: number): Promise<number> {
    await until(cluster, () => processesOf(cluster.node('w1'), 'idle').length === 0);
    return (lifeOf(cluster, 'idle', from).at(-1)!.at - from) / 1000;
  }

  test('is what its manifest says', async () => {
    for (const seconds of [undefined, 5]) {
      const cluster = await startedCluster();
      const node = cluster.node('w1');
      writeManifest(node, 'x', staticPod('x', { terminationGracePeriodSeconds: seconds }));
      await until(cluster, () => node.pods[0]?.isReady);
      deafen(cluster);
      node.disk.remove(manifestPath('x'));
      await until(cluster, () => node.pods[0]!.state === 'ending');
      const lasted = await ended(cluster, cluster.clock.now());
      expect(Math.round(lasted)).toBe(seconds ?? 30);
      expect(lifeOf(cluster, 'idle').at(-1)).toMatchObject({ state: 'ended', exitCode: 137 });
    }
  });

  test('is what whoever deletes it says, and may become less but not more', async () => {
    for (const [second, seconds] of [
      [undefined, 20],
      [30, 20],
      [5, 8],
    ] as const) {
      const cluster = await startedCluster();
      const spec: PodSpec & { nodeName: string } = { containers: [IDLE], nodeName: 'w1' };
      await cluster.connect().create({ ...podNamed('x'), spec });
      await until(cluster, () => cluster.node('w1').pods[0]?.isReady);
      deafen(cluster);
      const reference = { kind: 'Pod', namespace: 'default', name: 'x' } as const;
      const from = cluster.clock.now();
      await cluster.connect().delete(reference, { gracePeriodSeconds: 20 });
      await cluster.clock.sleep(3000);
      if (second !== undefined) await cluster.connect().delete(reference, { gracePeriodSeconds: second });
      expect(Math.round(await ended(cluster, from))).toBe(seconds);
      await until(cluster, () => cluster.find('Pod', 'default', 'x') === undefined);
    }
  });
});

test('a container that fails its Pod does not keep it from ending', async () => {
  const cluster = await startedCluster();
  cluster.failStarts(({ program }) => (program === 'idle' ? 'broken' : undefined));
  await cluster.connect().create(daemonSet('d'));
  await cluster.clock.sleep(60_000);
  await cluster.connect().delete({ kind: 'DaemonSet', namespace: 'default', name: 'd' });
  await until(cluster, () => podsOf(cluster, 'd-').length === 0);
  expect(cluster.node('w1').pods).toEqual([]);
});

function podNamed(name: string) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } } as const;
}

test('a kubelet that was restarted knows how often a container has been started', async () => {
  const cluster = await startedCluster();
  cluster.failStarts(({ program }) => (program === 'idle' ? 'broken' : undefined));
  const node = cluster.node('w1');
  writeManifest(node, 'x', staticPod('x'));
  await until(cluster, () => lifeOf(cluster, 'idle').filter(({ state }) => state === 'ended').length === 3);
  node.restartKubelet();
  await until(cluster, () => lifeOf(cluster, 'idle').some(({ attempt }) => attempt === 4));
  expect(
    lifeOf(cluster, 'idle')
      .filter(({ state }) => state === 'started')
      .map(({ attempt }) => attempt),
  ).toEqual([0, 1, 2, 3, 4]);
});

test('arguments have the variables of their container filled in, and what is none stays', async () => {
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const cluster = await running({
    command: ['idle', '--at=$(HOST_IP):$(PORT)', '--on=$(NODE)', '$(NOBODY)', '$$(PORT)', '$PORT'],
    env: [field('HOST_IP', 'status.hostIP'), field('NODE', 'spec.nodeName'), { name: 'PORT', value: '1' }],
  });
  const { address, processes } = cluster.node('w1');
  expect(processes[0]!.argv).toEqual(['idle', `--at=${address}:1`, '--on=w1', '$(NOBODY)', '$(PORT)', '$PORT']);
});
