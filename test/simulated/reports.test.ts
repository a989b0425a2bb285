import { describe, expect, test } from 'vitest';
import type { DaemonSet } from '../../src/cluster/objects.ts';
import { CONTROL_PLANE_COMPONENTS, flagValue, type ControlPlaneComponent } from '../../src/control-plane/index.ts';
import type { RollChange } from '../../src/control-plane/operations/change.ts';
import {
  executeChange,
  goOn,
  type ExecuteOptions,
  type RunResult,
} from '../../src/control-plane/operations/execute.ts';
import type { Station } from '../../src/control-plane/operations/station.ts';
import { status, type Status } from '../../src/control-plane/operations/status.ts';
import { startTraffic, type Login, type SimulatedCluster } from '../../src/testing/index.ts';
import {
  eventsOf,
  IDLE,
  killAll,
  lifeOf,
  manifestOn,
  manifestPath,
  nodeNameOf,
  podsOf,
  processesOf,
  startedCluster,
  staticPod,
  until,
  writeManifest,
} from '../support/simulated.ts';

// What went wrong in control planes of others, by docs/reports.md, where no other test holds it.
const NODES = ['cp1', 'cp2', 'cp3'] as const;
const JOURNAL = '/etc/kubernetes/bootlace/journal.json';
const PIVOT_RECORD = '/etc/kubernetes/bootlace/pivot.json';
const MIRROR = 'kubernetes.io/config.mirror';

type Listener = NonNullable<ExecuteOptions['onEvent']>;

function stationOf({ host, cluster, clock }: Login): Station {
  return { host, cluster, clock };
}

function pivot(cluster: SimulatedCluster, node = 'cp1', onEvent: Listener = () => {}): Promise<RunResult> {
  return executeChange(stationOf(cluster.login(node)), { verb: 'pivot' }, { id: 'pivot', onEvent });
}

function roll(
  cluster: SimulatedCluster,
  change: Omit<RollChange, 'verb'>,
  onEvent: Listener = () => {},
): Promise<RunResult> {
  return executeChange(stationOf(cluster.login('cp1')), { verb: 'roll', ...change }, { id: 'roll', onEvent });
}

async function rollBack(cluster: SimulatedCluster, node = 'cp1', onEvent: Listener = () => {}): Promise<string> {
  return (await goOn(stationOf(cluster.login(node)), 'rollback', { onEvent })).outcome;
}

async function pivoted(controlPlanes = 1): Promise<SimulatedCluster> {
  const cluster = await startedCluster({ controlPlanes });
  for (const node of NODES.slice(0, controlPlanes)) expect((await pivot(cluster, node)).outcome).toBe('done');
  expect(await cluster.settle(60_000)).toBe(true);
  return cluster;
}

function look(cluster: SimulatedCluster, node = 'cp1'): Promise<Status> {
  return status(stationOf(cluster.login(node)));
}

async function servedBy(cluster: SimulatedCluster, node = 'cp1'): Promise<readonly string[]> {
  return (await look(cluster, node)).components.map((component) => component.servedBy);
}

const HOSTED = ['hosted Pod', 'hosted Pod', 'hosted Pod'];
const STATIC = ['static Pod', 'static Pod', 'static Pod'];

/** All of these nodes lose their power at once and get it back. */
async function cyclePower(cluster: SimulatedCluster, nodes: readonly string[]): Promise<void> {
  for (const node of nodes) cluster.node(node).cutPower();
  await cluster.clock.sleep(10_000);
  for (const node of nodes) cluster.node(node).boot();
  await cluster.clock.sleep(60_000);
}

function pidsOn(cluster: SimulatedCluster, nodes: readonly string[]): readonly number[] {
  return nodes.flatMap((node) => cluster.node(node).processes.map(({ pid }) => pid));
}

/** Collects why steps failed, forwards or back. */
function listener(): { readonly reasons: string[]; readonly onEvent: Listener } {
  const reasons: string[] = [];
  return { reasons, onEvent: (event) => void ('reason' in event && reasons.push(event.reason)) };
}

describe('a pivoted control plane', () => {
  test('that lost its power says so without an API, and once taken back it outlasts the next power cut', async () => {
    const cluster = await pivoted();
    await cyclePower(cluster, ['cp1']);
    expect(await look(cluster)).toMatchObject({
      api: 'does not serve',
      next: [expect.stringContaining('bootlace control-plane rollback') as string],
    });
    expect(await rollBack(cluster)).toBe('undone');
    await cyclePower(cluster, ['cp1']);
    expect(await cluster.settle(60_000)).toBe(true);
    expect(await servedBy(cluster)).toEqual(STATIC);
  });

  test('that lost its power on every node is brought back node by node, with no API to begin with', async () => {
    const cluster = await pivoted(3);
    await cyclePower(cluster, NODES);
    for (const node of NODES) expect(await look(cluster, node)).toMatchObject({ api: 'does not serve' });
    for (const node of NODES) expect(await rollBack(cluster, node)).toBe('undone');
    expect(await cluster.settle(60_000)).toBe(true);
    for (const node of NODES) expect(await servedBy(cluster, node)).toEqual(STATIC);
  });

  test('whose last API server somebody deletes is taken back, with no API to begin with', async () => {
    const cluster = await pivoted();
    for (const { metadata } of podsOf(cluster, 'self-hosted-kube-apiserver'))
      await cluster.connect().delete({ kind: 'Pod', namespace: 'kube-system', name: metadata.name! });
    await cluster.clock.sleep(10 * 60_000);
    expect(await look(cluster)).toMatchObject({
      api: 'does not serve',
      next: [expect.stringContaining('bootlace control-plane rollback') as string],
    });
    expect(await rollBack(cluster)).toBe('undone');
    expect(await cluster.settle(60_000)).toBe(true);
    expect(await servedBy(cluster)).toEqual(STATIC);
  });

  test('of which one node lost its power goes on, and that node is taken back through the others', async () => {
    const cluster = await pivoted(3);
    await cyclePower(cluster, ['cp2']);
    // Its kubelet asks the server beside it alone, which is what is gone.
    expect(await look(cluster, 'cp2')).toMatchObject({ api: 'serves' });
    expect(await servedBy(cluster, 'cp2')).toEqual(['nobody', 'nobody', 'nobody']);
    expect(await rollBack(cluster, 'cp2')).toBe('undone');
    expect(await servedBy(cluster, 'cp2')).toEqual(STATIC);
    expect(await servedBy(cluster, 'cp1')).toEqual(HOSTED);
  });

  test('has one of each component on each node, and every API server advertises its own', async () => {
    const cluster = await pivoted(3);
    for (const node of NODES) {
      for (const component of CONTROL_PLANE_COMPONENTS) {
        const processes = processesOf(cluster.node(node), component);
        expect(processes.map(({ podName }) => podName.startsWith(`self-hosted-${component}`))).toEqual([true]);
      }
      const { argv } = processesOf(cluster.node(node), 'kube-apiserver')[0]!;
      expect(flagValue(argv, 'advertise-address')).toBe(cluster.node(node).address);
      // The next one that is made does as well.
      const daemonSet = cluster.find('DaemonSet', 'kube-system', `self-hosted-kube-apiserver-${node}`);
      const [container] = (daemonSet as DaemonSet | undefined)?.spec.template.spec.containers ?? [];
      expect(flagValue(container!.command!, 'advertise-address')).toBe(cluster.node(node).address);
    }
  });

  test('probes no other node: the rest goes on while the first one has no power', async () => {
    const cluster = await pivoted(3);
    const others = ['cp2', 'cp3'];
    const before = pidsOn(cluster, others);
    cluster.node('cp1').cutPower();
    // Much longer than liveness takes to give up.
    await cluster.clock.sleep(10 * 60_000);
    expect(pidsOn(cluster, others)).toEqual(before);
  });

  test('outlasts a kubelet that is restarted every three minutes', async () => {
    const cluster = await pivoted();
    const before = pidsOn(cluster, ['cp1']);
    const traffic = startTraffic(cluster);
    for (let times = 0; times < 5; times += 1) {
      cluster.node('cp1').restartKubelet();
      await cluster.clock.sleep(180_000);
    }
    expect(await traffic.stop()).toMatchObject({ failed: 0, restarts: [], leaderGaps: [] });
    expect(pidsOn(cluster, ['cp1'])).toEqual(before);
  });

  /** A pivoted control plane in which the only Pod of a component was deleted an hour ago. */
  async function without(component: ControlPlaneComponent): Promise<SimulatedCluster> {
    const cluster = await pivoted();
    for (const { metadata } of podsOf(cluster, `self-hosted-${component}`))
      await cluster.connect().delete({ kind: 'Pod', namespace: 'kube-system', name: metadata.name! });
    await cluster.clock.sleep(60 * 60_000);
    const { api, next } = await look(cluster);
    expect(api).toBe('serves');
    expect(next).toEqual([expect.stringContaining(`Nobody serves ${component}`)]);
    return cluster;
  }

  test.each(['kube-scheduler', 'kube-controller-manager'] as const)(
    'that has lost its last %s says so, and a roll of it brings it back',
    async (component) => {
      const cluster = await without(component);
      // There is nobody who would give a Pod its node, or make one.
      const waiting = podsOf(cluster, `self-hosted-${component}`).map(nodeNameOf);
      expect(waiting).toEqual(component === 'kube-scheduler' ? [undefined] : []);
      const traffic = startTraffic(cluster);
      expect(await roll(cluster, { components: [component], edits: {} })).toMatchObject({ outcome: 'done' });
      expect(await servedBy(cluster)).toEqual(HOSTED);
      expect((await traffic.stop()).failed).toBe(0);
    },
  );

  test('that has lost both is refused a roll, and taken back by files alone', async () => {
    const cluster = await without('kube-scheduler');
    for (const { metadata } of podsOf(cluster, 'self-hosted-kube-controller-manager'))
      await cluster.connect().delete({ kind: 'Pod', namespace: 'kube-system', name: metadata.name! });
    await cluster.clock.sleep(120_000);
    const components = ['kube-controller-manager', 'kube-scheduler'] as const;
    expect(await roll(cluster, { components, edits: {} })).toMatchObject({ outcome: 'refused' });
    expect((await look(cluster)).next.join(' ')).toContain('bootlace control-plane rollback');
    const station = stationOf(cluster.login('cp1'));
    expect(await goOn(station, 'rollback-offline')).toMatchObject({ outcome: 'undone' });
    await cluster.clock.sleep(60_000);
    expect(await goOn(station, 'finish')).toMatchObject({ outcome: 'undone' });
    expect(await servedBy(cluster)).toEqual(STATIC);
  });

  test('that has lost its last scheduler is taken back without a failed request', async () => {
    const cluster = await without('kube-scheduler');
    const traffic = startTraffic(cluster);
    expect(await rollBack(cluster)).toBe('undone');
    expect(await servedBy(cluster)).toEqual(STATIC);
    expect((await traffic.stop()).failed).toBe(0);
  });

  test('that has lost its last controller-manager is taken back by files alone, and the cluster is told later', async () => {
    const cluster = await without('kube-controller-manager');
    const station = stationOf(cluster.login('cp1'));
    expect(await goOn(station, 'rollback-offline')).toMatchObject({ outcome: 'undone' });
    await cluster.clock.sleep(60_000);
    expect(await goOn(station, 'finish')).toMatchObject({ outcome: 'undone' });
    await cluster.clock.sleep(60_000);
    expect(await servedBy(cluster)).toEqual(STATIC);
    expect(podsOf(cluster, 'self-hosted-')).toEqual([]);
  });

  test('keeps the way back to what worked after a roll that failed, and is told what was waited for and why', async () => {
    const cluster = await pivoted();
    const { disk } = cluster.node('cp1');
    const before = disk.read(PIVOT_RECORD);
    cluster.failStarts(({ argv, podName }) =>
      podName.startsWith('self-hosted-') && flagValue(argv, 'v') === '4' ? 'unknown flag' : undefined,
    );
    const { reasons, onEvent } = listener();
    const change = { components: ['kube-apiserver'], edits: { setFlags: { v: '4' } } } as const;
    expect(await roll(cluster, change, onEvent)).toMatchObject({ outcome: 'undone' });
    expect(reasons).toEqual([expect.stringMatching(/the API server on port 6443 serves.*connection refused/)]);
    expect(disk.read(PIVOT_RECORD)).toBe(before);
    expect(await servedBy(cluster)).toEqual(HOSTED);
    expect(await rollBack(cluster)).toBe('undone');
    const { argv } = processesOf(cluster.node('cp1'), 'kube-apiserver')[0]!;
    expect(flagValue(argv, 'v')).toBeUndefined();
  });

  test('that cannot have a static Pod back, since its port was given away, serves on, and is back once the kubelet looks again', async () => {
    const cluster = await pivoted();
    const node = cluster.node('cp1');
    const ports = [{ name: 'taken', containerPort: 10257, hostPort: 10257 }];
    writeManifest(node, 'thief', staticPod('thief', { containers: [{ ...IDLE, ports }] }));
    await until(cluster, () => node.pods.find(({ name }) => name === 'thief-cp1')?.state === 'running');
    const traffic = startTraffic(cluster);
    const { reasons, onEvent } = listener();
    expect(await rollBack(cluster, 'cp1', onEvent)).toBe('failed');
    expect(reasons).toEqual([expect.stringContaining('until the kube-controller-manager listens on port 10257')]);
    expect(eventsOf(cluster, 'rejected').map(({ pod }) => pod)).toEqual(['kube-controller-manager-cp1']);
    // Its copy leads, so that nothing is missing meanwhile.
    expect(await look(cluster)).toMatchObject({ api: 'serves', helpers: ['kube-controller-manager-standby-cp1'] });
    node.disk.remove(manifestPath('thief'));
    await until(cluster, () => node.pods.every(({ name }) => name !== 'thief-cp1'));
    node.restartKubelet();
    await cluster.clock.sleep(30_000);
    expect(await rollBack(cluster)).toBe('undone');
    expect(await servedBy(cluster)).toEqual(STATIC);
    const { failed, leaderGaps } = await traffic.stop();
    expect(failed).toBe(0);
    for (const { seconds } of leaderGaps) expect(seconds).toBeLessThan(5);
  });
});

describe('a change', () => {
  test('is refused where no scheduler is left that could place a hosted Pod, and touches nothing', async () => {
    const cluster = await startedCluster();
    cluster.failStarts(({ program }) => (program === 'kube-scheduler' ? 'broken' : undefined));
    killAll(cluster.node('cp1'), 'kube-scheduler');
    await cluster.clock.sleep(60_000);
    const traffic = startTraffic(cluster);
    const before = pidsOn(cluster, ['cp1']);
    expect(await pivot(cluster)).toMatchObject({
      outcome: 'refused',
      problems: expect.arrayContaining([
        expect.objectContaining({ code: 'COMPONENT_NOT_SERVING', severity: 'error' }),
      ]) as unknown,
    });
    expect(pidsOn(cluster, ['cp1'])).toEqual(before);
    expect(await traffic.stop()).toMatchObject({ failed: 0, missing: 0 });
    expect(await servedBy(cluster)).toEqual(['static Pod', 'static Pod', 'nobody']);
  });

  test('starts nothing on a port that somebody still has: no container ends of it, and no Pod is rejected', async () => {
    const cluster = await startedCluster();
    const traffic = startTraffic(cluster);
    const everything = { components: CONTROL_PLANE_COMPONENTS, edits: {} };
    // From static Pods, which declare their ports, to static Pods, to hosted ones, to hosted ones, and back.
    expect(await roll(cluster, everything)).toMatchObject({ outcome: 'done' });
    expect(await pivot(cluster)).toMatchObject({ outcome: 'done' });
    expect(await roll(cluster, everything)).toMatchObject({ outcome: 'done' });
    expect(await rollBack(cluster)).toBe('undone');
    expect((await traffic.stop()).restarts).toEqual([]);
    expect(eventsOf(cluster, 'rejected')).toEqual([]);
    for (const component of CONTROL_PLANE_COMPONENTS) {
      const states = lifeOf(cluster, component)
        .filter(({ pod, state }) => !/relay|standby/.test(pod) && (state === 'started' || state === 'ended'))
        .map(({ state }) => state);
      expect(states.join(' '), component).toBe(`${'started ended '.repeat(4)}started`);
    }
  });

  test.each(CONTROL_PLANE_COMPONENTS)(
    'that is killed as %s is told to end puts its file back at once, and the next process waits for that end',
    async (component) => {
      const cluster = await startedCluster();
      const login = cluster.login('cp1');
      void executeChange(stationOf(login), { verb: 'pivot' }, { id: 'pivot' });
      const pod = `${component}-cp1`;
      await until(cluster, () => eventsOf(cluster, 'process', { pod, state: 'stopping' }).length > 0);
      login.kill();
      expect(await rollBack(cluster)).toBe('undone');
      expect(await cluster.settle(60_000)).toBe(true);
      const [ended] = eventsOf(cluster, 'process', { pod, state: 'ended' });
      const started = eventsOf(cluster, 'process', { pod, state: 'started' });
      expect(started).toHaveLength(2);
      expect(started[1]!.at).toBeGreaterThan(ended!.at);
      expect(started[1]!.attempt).toBe(0);
      expect(await servedBy(cluster)).toEqual(STATIC);
    },
  );

  test('goes by processes, and not by mirror Pods that nobody can delete', async () => {
    const cluster = await startedCluster();
    cluster.admit(({ kind, metadata }, operation) =>
      kind === 'Pod' && operation === 'delete' && metadata.annotations?.[MIRROR] ? 'mirrors stay' : undefined,
    );
    expect(await pivot(cluster)).toMatchObject({ outcome: 'done' });
    expect(podsOf(cluster, 'kube-apiserver-cp1')).toHaveLength(1);
    expect(await servedBy(cluster)).toEqual(HOSTED);
    expect(await rollBack(cluster)).toBe('undone');
    expect(await servedBy(cluster)).toEqual(STATIC);
  });

  test('and what runs are seen where a policy keeps every mirror Pod out of the API', async () => {
    const cluster = await startedCluster();
    cluster.admit(({ kind, metadata }, operation) =>
      kind === 'Pod' && operation === 'create' && metadata.annotations?.[MIRROR] ? 'no static Pods' : undefined,
    );
    for (const { metadata } of podsOf(cluster, ''))
      await cluster.connect().delete({ kind: 'Pod', namespace: metadata.namespace!, name: metadata.name! });
    await cluster.clock.sleep(60_000);
    expect(podsOf(cluster, '')).toEqual([]);
    expect(await servedBy(cluster)).toEqual(STATIC);
    expect((await look(cluster)).next).toEqual([]);
    expect(await pivot(cluster)).toMatchObject({ outcome: 'done' });
    expect(await servedBy(cluster)).toEqual(HOSTED);
  });

  test('to a static Pod that needs an object of the API is taken back, and what serves was never touched', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    const { spec, ...pod } = manifestOn(node, 'kube-scheduler');
    const volumes = [...spec.volumes!, { name: 'more', secret: { secretName: 'more' } }];
    const before = pidsOn(cluster, ['cp1']);
    const text = node.disk.read(manifestPath('kube-scheduler'));
    const change = { components: ['kube-scheduler'], edits: { pod: { ...pod, spec: { ...spec, volumes } } } } as const;
    expect((await roll(cluster, change)).outcome).not.toBe('done');
    expect(pidsOn(cluster, ['cp1'])).toEqual(before);
    expect(node.disk.read(manifestPath('kube-scheduler'))).toBe(text);
  });

  test('leaves the Service of the API at no moment without an endpoint, nor its clients without an answer', async () => {
    const cluster = await startedCluster();
    const { clock, world } = cluster;
    const counts: { readonly all: number; readonly ofServers: number }[] = [];
    let isOver = false;
    const count = (): void => {
      if (isOver) return;
      const slices = world.store
        .list('EndpointSlice')
        .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'kubernetes');
      const all = slices.flatMap(({ endpoints }) => endpoints).length;
      const ofServers = slices.find(({ metadata }) => metadata.name === 'kubernetes')!.endpoints.length;
      counts.push({ all, ofServers });
      clock.at(clock.now() + 20, count);
    };
    const traffic = startTraffic(cluster);
    count();
    expect(await pivot(cluster)).toMatchObject({ outcome: 'done' });
    expect(await rollBack(cluster)).toBe('undone');
    isOver = true;
    expect(Math.min(...counts.map(({ all }) => all))).toBe(1);
    // API servers take the last endpoint away when they end: it is another slice that holds the place.
    expect(Math.min(...counts.map(({ ofServers }) => ofServers))).toBe(0);
    const { clients } = await traffic.stop();
    const inside = clients.filter(({ vantage }) => vantage !== 'outside');
    expect(inside.length).toBeGreaterThan(0);
    for (const { failed } of inside) expect(failed).toBe(0);
  });

  test('has on the disk what its way back needs before anything begins, and keeps it when it is done', async () => {
    const cluster = await startedCluster();
    const { disk } = cluster.node('cp1');
    const texts = Object.fromEntries(
      CONTROL_PLANE_COMPONENTS.map((component) => [component, disk.read(manifestPath(component))!]),
    );
    const kept = (journal: string | undefined): object => {
      const { manifests } = JSON.parse(journal!) as Record<'manifests', Record<string, { text: string }>>;
      return Object.fromEntries(Object.entries(manifests).map(([component, { text }]) => [component, text]));
    };
    // What a listener throws is nobody's.
    const journals: { readonly step: string; readonly text: string | undefined }[] = [];
    const { outcome } = await pivot(cluster, 'cp1', ({ type, step }) => {
      if (type === 'started') journals.push({ step: step.name, text: disk.read(JOURNAL) });
    });
    expect([outcome, journals.length]).toEqual(['done', 18]);
    for (const { step, text } of journals) {
      expect(kept(text)).toEqual(texts);
      const { steps } = JSON.parse(text!) as { readonly steps: readonly object[] };
      expect(steps).toContainEqual({ name: step, state: 'begun' });
    }
    expect(kept(disk.read(PIVOT_RECORD))).toEqual(texts);
  });
});
