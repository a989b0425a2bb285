import { describe, expect, test } from 'vitest';
import { processesOf, startedCluster } from '../../../test/support/simulated.ts';
import type { SimulatedCluster } from '../../cluster/simulated/cluster.ts';
import { startTraffic } from '../../cluster/simulated/traffic/traffic.ts';
import { flagValue } from '../../format/flags.ts';
import { CONTROL_PLANE_COMPONENTS } from '../selfhosting/labels.ts';
import type { Change, RollChange } from './change.ts';
import { executeChange, goOn, type ExecuteOptions, type RunResult } from './execute.ts';
import { planChange } from './plan.ts';
import type { Station } from './station.ts';

const PIVOT: Change = { verb: 'pivot' };
const ROLL: RollChange = { verb: 'roll', components: ['kube-apiserver'], edits: { setFlags: { v: '4' } } };

function stationOn(cluster: SimulatedCluster, node = 'cp1'): Station {
  const { host, cluster: api, clock } = cluster.login(node);
  return { host, cluster: api, clock };
}

function execute(
  cluster: SimulatedCluster,
  change: Change,
  options: Partial<ExecuteOptions> & { readonly node?: string } = {},
): Promise<RunResult> {
  return executeChange(stationOn(cluster, options.node), change, { id: 'run', ...options });
}

function flagOn(cluster: SimulatedCluster, program: string, name: string): string | undefined {
  return flagValue(processesOf(cluster.node('cp1'), program)[0]!.argv, name);
}

describe('a roll', () => {
  test('gives every component another flag without a failed request, and nobody is without a leader for long', async () => {
    const cluster = await startedCluster();
    const traffic = startTraffic(cluster);
    const result = await execute(cluster, { ...ROLL, components: CONTROL_PLANE_COMPONENTS });
    expect(result.outcome).toBe('done');
    const { failed, missing, leaderGaps } = await traffic.stop();
    expect({ failed, missing }).toEqual({ failed: 0, missing: 0 });
    for (const { seconds } of leaderGaps) expect(seconds).toBeLessThan(5);
    for (const program of CONTROL_PLANE_COMPONENTS) expect(flagOn(cluster, program, 'v')).toBe('4');
  });

  test('removes a flag, and takes another image', async () => {
    const cluster = await startedCluster();
    const image = 'registry.k8s.io/kube-apiserver:v1.35.5';
    const edits = { removeFlags: ['enable-bootstrap-token-auth'], image };
    const result = await execute(cluster, { ...ROLL, edits });
    expect(result).toMatchObject({ outcome: 'done' });
    expect(result.problems.map(({ code }) => code)).toContain('IMAGE_ABSENT');
    const [server] = processesOf(cluster.node('cp1'), 'kube-apiserver');
    expect(server!.image).toBe(image);
    expect(flagValue(server!.argv, 'enable-bootstrap-token-auth')).toBeUndefined();
  });

  test('is a restart where nothing is edited', async () => {
    const cluster = await startedCluster();
    const [before] = processesOf(cluster.node('cp1'), 'kube-apiserver');
    expect(await execute(cluster, { ...ROLL, edits: {} })).toMatchObject({ outcome: 'done' });
    const [after] = processesOf(cluster.node('cp1'), 'kube-apiserver');
    expect(after!.argv).toEqual(before!.argv);
    expect(after!.pid).not.toBe(before!.pid);
  });

  test('with a definition that does not work is taken back within a minute, and what serves was never touched', async () => {
    const cluster = await startedCluster();
    const [before] = processesOf(cluster.node('cp1'), 'kube-apiserver');
    cluster.failStarts(({ argv }) => (flagValue(argv, 'v') === '4' ? 'unknown flag' : undefined));
    const traffic = startTraffic(cluster);
    const from = cluster.clock.now();
    const reasons: string[] = [];
    const onEvent: ExecuteOptions['onEvent'] = (event) => void ('reason' in event && reasons.push(event.reason));
    expect(await execute(cluster, ROLL, { onEvent })).toMatchObject({ outcome: 'undone' });
    expect(cluster.clock.now() - from).toBeLessThan(60_000);
    expect(reasons).toEqual([
      'kube-apiserver-relay has ended 3 times, the last time with exit code 1: its log says why.',
    ]);
    expect(processesOf(cluster.node('cp1'), 'kube-apiserver').map(({ pid }) => pid)).toEqual([before!.pid]);
    expect((await traffic.stop()).failed).toBe(0);
  });

  test('makes its edit where kubeadm keeps its configuration, and takes that back with the rest', async () => {
    const cluster = await startedCluster();
    const text = (): string =>
      cluster.find('ConfigMap', 'kube-system', 'kubeadm-config')!.data!['ClusterConfiguration']!;
    const before = text();
    const change = { ...ROLL, updateKubeadmConfig: true };
    expect(await execute(cluster, change)).toMatchObject({ outcome: 'done', problems: [] });
    expect(text()).toContain("  - name: v\n    value: '4'\n");
    cluster.failStarts(({ argv }) => (flagValue(argv, 'v') === '5' ? 'unknown flag' : undefined));
    const other = { ...change, edits: { setFlags: { v: '5' } } };
    const after = text();
    expect(await execute(cluster, other)).toMatchObject({ outcome: 'undone' });
    expect(text()).toBe(after);
    expect(before).not.toBe(after);
  });
});

describe('new connections', () => {
  /** What was redirected in a pivot of a node that has more addresses than the one it is known by. */
  async function redirected(cluster: SimulatedCluster): Promise<readonly string[]> {
    const station = stationOn(cluster);
    const asked = new Set<string>();
    const host: Station['host'] = {
      ...station.host,
      addresses: async () => ['10.0.0.100', '10.0.0.11', 'fd00::1'],
      redirect: {
        ...station.host.redirect,
        set: async (rule, options) => {
          for (const { address, port } of rule.from) asked.add(`${address} ${port}`);
          return station.host.redirect.set(rule, options);
        },
      },
    };
    expect(await executeChange({ ...station, host }, PIVOT, { id: 'run' })).toMatchObject({ outcome: 'done' });
    return [...asked];
  }

  test('are redirected at each address of the node, and at the Service', async () => {
    expect(await redirected(await startedCluster())).toEqual([
      '10.0.0.11 6443',
      '10.96.0.1 443',
      '10.0.0.100 6443',
      'fd00::1 6443',
    ]);
  });
});

describe('a plan that was made before', () => {
  test('is carried out while it fits', async () => {
    const cluster = await startedCluster();
    const { plan } = await planChange(stationOn(cluster), ROLL);
    expect(await execute(cluster, plan.change, { plan })).toMatchObject({ outcome: 'done' });
  });

  test('is refused once something has changed', async () => {
    const cluster = await startedCluster();
    const { plan } = await planChange(stationOn(cluster), PIVOT);
    await execute(cluster, ROLL);
    const result = await execute(cluster, PIVOT, { plan });
    expect(result.outcome).toBe('refused');
    expect(result.problems.map(({ code }) => code)).toEqual(['PLAN_STALE']);
  });

  test('is refused on another node', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const { plan } = await planChange(stationOn(cluster), PIVOT);
    const { outcome, problems } = await execute(cluster, PIVOT, { plan, node: 'cp2' });
    expect(outcome).toBe('refused');
    expect(problems[0]).toMatchObject({ code: 'PLAN_STALE', message: 'The plan is of cp1, and this is cp2.' });
  });
});

describe('one node at a time', () => {
  test('is changed: another one is refused while a run is open, and changed after that', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    let count = 0;
    const stopped = await execute(cluster, PIVOT, { isStopping: () => (count += 1) > 3 });
    expect(stopped.outcome).toBe('stopped');
    const other = await execute(cluster, PIVOT, { node: 'cp2' });
    expect(other.outcome).toBe('refused');
    expect(other.problems.map(({ code, place }) => `${code} ${place}`)).toContain('RUN_HELD Node cp1');
    expect((await execute(cluster, PIVOT)).problems.map(({ code }) => code)).toContain('RUN_OPEN');
    expect(await goOn(stationOn(cluster), 'resume')).toMatchObject({ outcome: 'done' });
    expect(await execute(cluster, PIVOT, { node: 'cp2' })).toMatchObject({ outcome: 'done' });
    expect(await execute(cluster, PIVOT, { node: 'cp3' })).toMatchObject({ outcome: 'done' });
    expect(await cluster.settle(60_000)).toBe(true);
    expect(await goOn(stationOn(cluster, 'cp2'), 'rollback')).toMatchObject({ outcome: 'undone' });
    expect(cluster.find('DaemonSet', 'kube-system', 'self-hosted-kube-scheduler')).toBeDefined();
    expect(await goOn(stationOn(cluster, 'cp1'), 'rollback')).toMatchObject({ outcome: 'undone' });
    expect(await goOn(stationOn(cluster, 'cp3'), 'rollback')).toMatchObject({ outcome: 'undone' });
    expect(cluster.find('DaemonSet', 'kube-system', 'self-hosted-kube-scheduler')).toBeUndefined();
    expect(await cluster.settle(60_000)).toBe(true);
  });

  test('is changed even where two begin at the same moment', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const results = await Promise.all(['cp1', 'cp2', 'cp3'].map((node) => execute(cluster, PIVOT, { node })));
    expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'refused', 'refused']);
    expect(await cluster.settle(60_000)).toBe(true);
  });
});

describe('a run that is asked to stop', () => {
  test.each([1, 5, 9, 16])('after %i steps has the next one open, and goes on from there', async (steps) => {
    const cluster = await startedCluster();
    const started: string[] = [];
    let asked = 0;
    const { outcome } = await execute(cluster, PIVOT, {
      isStopping: () => (asked += 1) > steps,
      onEvent: ({ type, step }) => void (type === 'started' && started.push(step.name)),
    });
    expect([outcome, started.length]).toEqual(['stopped', steps]);
    const again: string[] = [];
    const resumed = await goOn(stationOn(cluster), 'resume', {
      onEvent: ({ type, step }) => void (type === 'started' && again.push(step.name)),
    });
    expect(resumed.outcome).toBe('done');
    expect(again.length).toBe(18 - steps);
    expect(again.some((name) => started.includes(name))).toBe(false);
  });
});

describe('going on', () => {
  test.each([
    ['resume', 'There is no run to go on with'],
    ['rollback', 'There is nothing to take back'],
    ['rollback-offline', 'There is nothing to take back'],
    ['finish', 'Nothing is left in the cluster'],
  ] as const)('by %s is refused where there is nothing', async (way, reason) => {
    const result = await goOn(stationOn(await startedCluster()), way);
    expect(result.outcome).toBe('refused');
    expect(result.reason).toContain(reason);
  });

  test('by finish is refused where the way back has not been gone', async () => {
    const cluster = await startedCluster();
    let asked = 0;
    await execute(cluster, PIVOT, { isStopping: () => (asked += 1) > 3 });
    expect(await goOn(stationOn(cluster), 'finish')).toMatchObject({ outcome: 'refused' });
  });
});

test('Events of the Node tell of each step, and no manifest leaves the node', async () => {
  const cluster = await startedCluster();
  let copy = '';
  await execute(cluster, ROLL, {
    onEvent: () => {
      copy ||= cluster.find('ConfigMap', 'kube-system', 'bootlace-run-cp1')?.data?.['journal'] ?? '';
    },
  });
  expect(JSON.parse(copy)).toMatchObject({ node: 'cp1', strategy: 'roll', direction: 'forward' });
  expect(copy).not.toContain('etcd');
  const told = cluster.world.store.list('Event').filter(({ reason }) => reason?.startsWith('Bootlace'));
  expect(told.filter(({ reason }) => reason === 'BootlaceStepDone')).toHaveLength(9);
  expect(told.map(({ message }) => message)).toContain('cp1/prepare begins (run run)');
  expect(told[0]).toMatchObject({ type: 'Normal', involvedObject: { kind: 'Node', name: 'cp1' } });
});
