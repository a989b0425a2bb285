import { expect, test } from 'vitest';
import { ClusterError, CONTROL_PLANE_COMPONENTS, flagValue } from '../../src/control-plane/index.ts';
import { beginRun, continueRun, rollBackOffline } from '../../src/control-plane/journal/runs.ts';
import { fileError, startTraffic, type HostAction, type SimulatedCluster } from '../../src/testing/index.ts';
import { manifestPath, processesOf, startedCluster } from '../support/simulated.ts';
import { keptOn, plan, run, type Change } from '../support/strategy-run.ts';

function rollBack(cluster: SimulatedCluster): Promise<string> {
  const { host, cluster: api, clock } = cluster.login('cp1');
  return continueRun({ host, cluster: api, clock, way: 'rollback', onEvent: () => {}, log: () => {} });
}

/** A run that is killed as a step begins, by the end of its name. */
async function killedAt(cluster: SimulatedCluster, change: Change, step: string): Promise<void> {
  const { context, steps, login } = await plan(cluster, change);
  await new Promise<void>((resolve) => {
    void beginRun({
      context,
      strategy: change.strategy!,
      id: 'test',
      steps,
      onEvent: (event) => {
        if (event.type !== 'started' || !event.step.name.endsWith(step)) return;
        login.kill();
        resolve();
      },
    });
  });
}

/** What the cluster holds of bootlace. */
function ours({ world }: SimulatedCluster): readonly string[] {
  return (['Lease', 'ConfigMap', 'DaemonSet', 'EndpointSlice'] as const).flatMap((kind) =>
    world.store
      .list(kind)
      .map(({ metadata }) => `${kind} ${metadata.name}`)
      .filter((name) => /bootlace|self-hosted/.test(name)),
  );
}

test('a pivot that is done is taken back without a failed request, and nothing of it is left', async () => {
  const cluster = await startedCluster();
  const before = CONTROL_PLANE_COMPONENTS.map((name) => cluster.node('cp1').disk.read(manifestPath(name)));
  const traffic = startTraffic(cluster);
  expect(await run(cluster)).toBe('done');
  expect(ours(cluster).some((name) => !name.startsWith('DaemonSet self-hosted-'))).toBe(false);
  expect(await rollBack(cluster)).toBe('undone');
  expect(CONTROL_PLANE_COMPONENTS.map((name) => cluster.node('cp1').disk.read(manifestPath(name)))).toEqual(before);
  expect(keptOn(cluster)).toEqual([]);
  expect(ours(cluster)).toEqual([]);
  const labels = Object.keys(cluster.find('Node', undefined, 'cp1')!.metadata.labels!);
  expect(labels.filter((label) => label.includes('bootlace'))).toEqual([]);
  expect(await cluster.settle(60_000)).toBe(true);
  const { failed, missing, leaderGaps } = await traffic.stop();
  expect({ failed, missing }).toEqual({ failed: 0, missing: 0 });
  for (const { seconds } of leaderGaps) expect(seconds).toBeLessThan(5);
  await expect(rollBack(cluster)).rejects.toMatchObject({ code: 'RUN_MISSING' });
});

test('components that the cluster hosts are rolled as well, and the way back of the pivot keeps what was rolled', async () => {
  const cluster = await startedCluster();
  const traffic = startTraffic(cluster);
  expect(await run(cluster)).toBe('done');
  expect(await run(cluster, { strategy: 'roll', components: CONTROL_PLANE_COMPONENTS })).toBe('done');
  for (const program of CONTROL_PLANE_COMPONENTS) {
    const processes = processesOf(cluster.node('cp1'), program);
    expect(processes, program).toHaveLength(1);
    expect(processes[0]!.podName).toContain('self-hosted');
    expect(flagValue(processes[0]!.argv, 'v'), program).toBe('2');
  }
  expect(await rollBack(cluster)).toBe('undone');
  for (const program of CONTROL_PLANE_COMPONENTS) {
    const processes = processesOf(cluster.node('cp1'), program);
    expect(processes.map(({ podName }) => podName)).toEqual([`${program}-cp1`]);
    expect(flagValue(processes[0]!.argv, 'v'), program).toBe('2');
  }
  expect(keptOn(cluster)).toEqual([]);
  expect(ours(cluster)).toEqual([]);
  const { failed, missing } = await traffic.stop();
  expect({ failed, missing }).toEqual({ failed: 0, missing: 0 });
});

test('a pivoted node that lost its power is brought back by the way back', async () => {
  const cluster = await startedCluster();
  expect(await run(cluster)).toBe('done');
  cluster.node('cp1').cutPower();
  await cluster.clock.sleep(10_000);
  cluster.node('cp1').boot();
  await cluster.clock.sleep(60_000);
  expect(processesOf(cluster.node('cp1'), 'kube-apiserver')).toEqual([]);
  expect(await rollBack(cluster)).toBe('undone');
  expect(await cluster.settle(120_000)).toBe(true);
  expect(keptOn(cluster)).toEqual([]);
  expect(ours(cluster)).toEqual([]);
});

test('a pivoted node is taken back by its files and processes alone, and the cluster is tidied up later', async () => {
  const cluster = await startedCluster();
  const before = CONTROL_PLANE_COMPONENTS.map((name) => cluster.node('cp1').disk.read(manifestPath(name)));
  expect(await run(cluster)).toBe('done');
  const away = new ClusterError('UNREACHABLE', 'no connection');
  const { host, cluster: api, clock } = cluster.login('cp1', { api: () => ({ error: away, when: 'before' }) });
  expect(await rollBackOffline({ host, cluster: api, clock, onEvent: () => {}, log: () => {} })).toBe('undone');
  expect(CONTROL_PLANE_COMPONENTS.map((name) => cluster.node('cp1').disk.read(manifestPath(name)))).toEqual(before);
  for (const program of CONTROL_PLANE_COMPONENTS)
    expect(processesOf(cluster.node('cp1'), program).map(({ podName }) => podName)).toContain(`${program}-cp1`);
  expect(keptOn(cluster)).toContain('journal.json');
  await cluster.clock.sleep(60_000);
  expect(await rollBack(cluster)).toBe('undone');
  expect(await cluster.settle(120_000)).toBe(true);
  expect(keptOn(cluster)).toEqual([]);
  expect(ours(cluster)).toEqual([]);
});

test('what the cluster hosted cannot be brought back without an API, and that is said', async () => {
  const cluster = await startedCluster();
  expect(await run(cluster)).toBe('done');
  await killedAt(cluster, { strategy: 'roll', components: ['kube-scheduler'] }, '/start');
  const { host, cluster: api, clock } = cluster.login('cp1');
  await expect(rollBackOffline({ host, cluster: api, clock, onEvent: () => {}, log: () => {} })).rejects.toMatchObject({
    code: 'STEP_FAILED',
    message: expect.stringContaining('cp1/kube-scheduler/stop cannot be taken back without an API') as string,
  });
  expect(await rollBack(cluster)).toBe('undone');
});

test('a roll that was killed is taken back by files alone, and tidying up later leaves the manifest where it is', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const before = node.disk.read(manifestPath('kube-apiserver'));
  await killedAt(cluster, { strategy: 'roll', components: ['kube-apiserver'] }, '/hand-back');
  const { host, cluster: api, clock } = cluster.login('cp1');
  expect(await rollBackOffline({ host, cluster: api, clock, onEvent: () => {}, log: () => {} })).toBe('undone');
  expect(await rollBack(cluster)).toBe('undone');
  expect(node.disk.read(manifestPath('kube-apiserver'))).toBe(before);
  expect(await cluster.settle(120_000)).toBe(true);
  expect(flagValue(processesOf(node, 'kube-apiserver')[0]!.argv, 'v')).toBeUndefined();
  expect(keptOn(cluster)).toEqual([]);
  expect(ours(cluster)).toEqual([]);
});

test('what does not come up stays for later, and everything else is brought back all the same', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const before = CONTROL_PLANE_COMPONENTS.map((name) => node.disk.read(manifestPath(name)));
  expect(await run(cluster)).toBe('done');
  let isBroken = true;
  cluster.failStarts(({ podName }) => (isBroken && podName === 'kube-controller-manager-cp1' ? 'broken' : undefined));
  const { host, cluster: api, clock } = cluster.login('cp1');
  expect(await rollBackOffline({ host, cluster: api, clock, onEvent: () => {}, log: () => {} })).toBe('failed');
  expect(CONTROL_PLANE_COMPONENTS.map((name) => node.disk.read(manifestPath(name)))).toEqual(before);
  expect(processesOf(node, 'kube-scheduler').map(({ podName }) => podName)).toContain('kube-scheduler-cp1');
  isBroken = false;
  await cluster.clock.sleep(300_000);
  expect(await rollBack(cluster)).toBe('undone');
  expect(await cluster.settle(300_000)).toBe(true);
  expect(keptOn(cluster)).toEqual([]);
  expect(ours(cluster)).toEqual([]);
});

test('without etcd the files are back, and the cluster is tidied up when it is there again', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const before = CONTROL_PLANE_COMPONENTS.map((name) => node.disk.read(manifestPath(name)));
  const etcd = node.disk.read(manifestPath('etcd'))!;
  expect(await run(cluster)).toBe('done');
  node.disk.remove(manifestPath('etcd'));
  await cluster.clock.sleep(60_000);
  const { host, cluster: api, clock } = cluster.login('cp1');
  await rollBackOffline({ host, cluster: api, clock, onEvent: () => {}, log: () => {} });
  expect(CONTROL_PLANE_COMPONENTS.map((name) => node.disk.read(manifestPath(name)))).toEqual(before);
  node.disk.write(manifestPath('etcd'), etcd);
  await cluster.clock.sleep(120_000);
  expect(await rollBack(cluster)).toBe('undone');
  expect(await cluster.settle(300_000)).toBe(true);
  expect(keptOn(cluster)).toEqual([]);
  expect(ours(cluster)).toEqual([]);
});

test('a roll of what the cluster hosts that is taken back at its very end leaves the way back of the pivot as it was', async () => {
  const cluster = await startedCluster();
  const { disk } = cluster.node('cp1');
  expect(await run(cluster)).toBe('done');
  const kept = (): readonly (readonly [name: string, text: string | undefined])[] =>
    keptOn(cluster).map((name) => [name, disk.read(`/etc/kubernetes/bootlace/${name}`)] as const);
  const before = kept();
  // The record of the pivot is renewed by then.
  const host = ({ verb, subject }: HostAction): Error | undefined =>
    verb === 'remove' && subject.endsWith('/journal.json') ? fileError('EIO', verb, subject) : undefined;
  expect(await run(cluster, { strategy: 'roll', faults: { host } })).toBe('done');
  expect(kept()).not.toEqual(before);
  expect(await rollBack(cluster)).toBe('undone');
  expect(kept()).toEqual(before);
});

test('a hosted server that was to be stopped when the power went is not taken for the one that comes after it', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  expect(await run(cluster)).toBe('done');
  await cluster.clock.sleep(20_000);
  await killedAt(cluster, { strategy: 'roll', components: ['kube-apiserver'] }, '/kube-apiserver/stop');
  node.cutPower();
  await cluster.clock.sleep(10_000);
  node.boot();
  await cluster.clock.sleep(30_000);
  const { host, cluster: api, clock } = cluster.login('cp1');
  expect(await continueRun({ host, cluster: api, clock, way: 'resume', onEvent: () => {}, log: () => {} })).toBe(
    'done',
  );
  expect(await cluster.settle(120_000)).toBe(true);
  const [server, ...others] = processesOf(node, 'kube-apiserver');
  expect([flagValue(server!.argv, 'v'), others]).toEqual(['2', []]);
});

test.each(['resume', 'rollback'] as const)(
  'a roll of a hosted scheduler of which the node lost its power is gone on with by %s, though no step of it knows the API server',
  async (way) => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    expect(await run(cluster)).toBe('done');
    await cluster.clock.sleep(20_000);
    await killedAt(cluster, { strategy: 'roll', components: ['kube-scheduler'] }, '/kube-scheduler/stop');
    node.cutPower();
    await cluster.clock.sleep(10_000);
    node.boot();
    await cluster.clock.sleep(30_000);
    const { host, cluster: api, clock } = cluster.login('cp1');
    const outcome = await continueRun({ host, cluster: api, clock, way, onEvent: () => {}, log: () => {} });
    expect(outcome).toBe(way === 'resume' ? 'done' : 'undone');
    expect(await cluster.settle(120_000)).toBe(true);
    for (const program of CONTROL_PLANE_COMPONENTS)
      expect(processesOf(node, program).map(({ podName }) => podName.startsWith(`self-hosted-${program}`))).toEqual([
        true,
      ]);
    expect(cluster.world.machines[0]!.redirect).toBeUndefined();
    expect(node.pods.map(({ name }) => name).filter((name) => /relay|standby/.test(name))).toEqual([]);
  },
);

test('what a way back begins with leaves a journal, should that be as far as it comes', async () => {
  const cluster = await startedCluster();
  expect(await run(cluster)).toBe('done');
  const away = new ClusterError('UNREACHABLE', 'no connection');
  const {
    host,
    cluster: api,
    clock,
  } = cluster.login('cp1', {
    api: ({ verb }) => (verb === 'health' ? { error: away, when: 'before' } : undefined),
  });
  await expect(
    continueRun({ host, cluster: api, clock, way: 'rollback', onEvent: () => {}, log: () => {} }),
  ).rejects.toThrow();
  // A relay was started that nobody would know of.
  expect(keptOn(cluster)).toContain('journal.json');
  expect(await rollBack(cluster)).toBe('undone');
  expect(keptOn(cluster)).toEqual([]);
});
