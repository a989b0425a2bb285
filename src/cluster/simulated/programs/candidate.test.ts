import { describe, expect, test } from 'vitest';
import {
  addFlags,
  editContainer,
  eventsOf,
  killAll,
  lifeOf,
  manifestPath,
  processesOf,
  startedCluster,
  until,
} from '../../../../test/support/simulated.ts';
import type { SimulatedCluster } from '../cluster.ts';

const MANAGER = 'kube-controller-manager';
const SCHEDULER = 'kube-scheduler';
const SERVER = 'kube-apiserver';

function holderOf(cluster: SimulatedCluster, component: string): string {
  return cluster.find('Lease', 'kube-system', component)?.spec.holderIdentity ?? '';
}

/** The node that leads, and one that waits. */
function rolesOf(cluster: SimulatedCluster, component: string) {
  const [leader = ''] = holderOf(cluster, component).split('_');
  return { leader: cluster.node(leader), standby: cluster.nodes.find(({ name }) => name !== leader)! };
}

/** Seconds from one moment until somebody else leads. */
async function takenOver(cluster: SimulatedCluster, component: string, from: number): Promise<number> {
  const before = holderOf(cluster, component);
  await until(cluster, () => !['', before].includes(holderOf(cluster, component)));
  const [leads] = eventsOf(cluster, 'leader', { component, holder: holderOf(cluster, component) }, from);
  return (leads!.at - from) / 1000;
}

test('a scheduler gives its lease back when it is told to end, and a controller-manager keeps it', async () => {
  for (const [component, holder] of [
    [SCHEDULER, ''],
    [MANAGER, 'cp1_'],
  ] as const) {
    const cluster = await startedCluster();
    const from = cluster.clock.now();
    cluster.node('cp1').disk.remove(manifestPath(component));
    await until(cluster, () => lifeOf(cluster, component, from).some(({ state }) => state === 'ended'));
    expect(holderOf(cluster, component).slice(0, 4)).toBe(holder);
    expect(eventsOf(cluster, 'leader', { component }, from)).toMatchObject([{ holder: '' }]);
  }
});

test.each([
  ['from version 1.37 on', { image: 'registry.k8s.io/kube-controller-manager:v1.37.2' }, []],
  ['by a gate', {}, ['--feature-gates=ControllerManagerReleaseLeaderElectionLockOnExit=true']],
])('a controller-manager gives its lease back %s', async (_when, change, flags) => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const from = cluster.clock.now();
  editContainer(node, MANAGER, (container) => ({
    ...container,
    ...change,
    command: [...container.command!, ...flags],
  }));
  await until(cluster, () => eventsOf(cluster, 'leader', { component: MANAGER }, from).length === 2);
  node.disk.remove(manifestPath(MANAGER));
  await until(cluster, () => holderOf(cluster, MANAGER) === '');
});

describe('a candidate', () => {
  test('takes over only when it has seen no change for the duration of the lease', async () => {
    for (const seed of [1, 2, 3]) {
      const cluster = await startedCluster({ controlPlanes: 3, seed });
      const { leader } = rolesOf(cluster, MANAGER);
      const from = cluster.clock.now();
      leader.disk.remove(manifestPath(MANAGER));
      killAll(leader, MANAGER);
      // The last renewal was up to two seconds ago; a candidate looks each 2 to 4.4 seconds.
      const seconds = await takenOver(cluster, MANAGER, from);
      expect(seconds).toBeGreaterThanOrEqual(13);
      expect(seconds).toBeLessThanOrEqual(19.5);
    }
  });

  test('does not believe in the times of a lease, but in its own clock', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    const text = node.disk.read(manifestPath(SCHEDULER))!;
    node.disk.remove(manifestPath(SCHEDULER));
    await until(cluster, () => processesOf(node, SCHEDULER).length === 0);
    const lease = cluster.find('Lease', 'kube-system', SCHEDULER)!;
    const spec = {
      ...lease.spec,
      holderIdentity: 'other',
      leaseDurationSeconds: 15,
      renewTime: '1999-01-01T00:00:00Z',
    };
    await cluster.connect().update({ ...lease, spec });
    const from = cluster.clock.now();
    node.disk.write(manifestPath(SCHEDULER), text);
    await until(cluster, () => lifeOf(cluster, SCHEDULER, from).some(({ state }) => state === 'ready'));
    const [ready] = lifeOf(cluster, SCHEDULER, from).filter(({ state }) => state === 'ready');
    expect(await takenOver(cluster, SCHEDULER, ready!.at)).toBeGreaterThanOrEqual(15);
  });

  test('takes a lease that was given back at its next look, which a flag makes come sooner', async () => {
    for (const [flags, longest] of [
      [[], 4.6],
      [['--leader-elect-retry-period=200ms'], 0.7],
    ] as const) {
      const cluster = await startedCluster({ controlPlanes: 3 });
      const from = cluster.clock.now();
      for (const node of cluster.nodes.filter(({ isControlPlane }) => isControlPlane))
        addFlags(node, SCHEDULER, '--v=2', ...flags);
      await cluster.clock.sleep(60_000);
      const { leader } = rolesOf(cluster, SCHEDULER);
      leader.disk.remove(manifestPath(SCHEDULER));
      await until(cluster, () => lifeOf(cluster, SCHEDULER, from).at(-1)?.state === 'stopping');
      expect(await takenOver(cluster, SCHEDULER, lifeOf(cluster, SCHEDULER, from).at(-1)!.at)).toBeLessThan(longest);
    }
  });

  test.each(['0s', '-1s'])('has defaults in the place of times of %s', async (time) => {
    const cluster = await startedCluster();
    const from = cluster.clock.now();
    const names = ['lease-duration', 'renew-deadline', 'retry-period'];
    addFlags(cluster.node('cp1'), SCHEDULER, ...names.map((name) => `--leader-elect-${name}=${time}`));
    await until(cluster, () => eventsOf(cluster, 'leader', { component: SCHEDULER }, from).at(-1)?.holder);
    const { version } = cluster.world.store;
    await cluster.clock.sleep(60_000);
    expect(cluster.find('Lease', 'kube-system', SCHEDULER)!.spec.leaseDurationSeconds).toBe(15);
    // It leads until now, and renews each two seconds.
    expect(eventsOf(cluster, 'leader', { component: SCHEDULER }, from).at(-1)?.holder).not.toBe('');
    const renewals = cluster.world.store
      .since(version)
      .filter(({ object: { kind, metadata } }) => kind === 'Lease' && metadata.name === SCHEDULER);
    expect(renewals.length).toBeGreaterThanOrEqual(29);
    expect(renewals.length).toBeLessThanOrEqual(31);
  });

  test('is never the second one to lead', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    for (const name of ['cp1', 'cp2', 'cp3', 'cp1']) {
      killAll(cluster.node(name), SCHEDULER);
      killAll(cluster.node(name), MANAGER);
      await cluster.clock.sleep(25_000);
    }
    for (const component of [SCHEDULER, MANAGER]) {
      const holders = eventsOf(cluster, 'leader', { component }).map(({ holder }) => holder);
      expect(holders.length).toBeGreaterThan(2);
      expect(holders.filter((_, index) => index % 2 === 1).join('')).toBe('');
      expect(cluster.find('Lease', 'kube-system', component)!.spec.leaseTransitions).toBe((holders.length - 1) / 2);
    }
  });
});

describe('a leader', () => {
  test('ends when it could not renew for ten seconds', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    const renewed = Date.parse(cluster.find('Lease', 'kube-system', MANAGER)!.spec.renewTime!) - Date.UTC(2000, 0);
    node.disk.remove(manifestPath(SERVER));
    killAll(node, SERVER);
    await until(cluster, () => lifeOf(cluster, MANAGER, renewed).some(({ state }) => state === 'ended'));
    const [ended] = lifeOf(cluster, MANAGER, renewed).filter(({ state }) => state === 'ended');
    expect(ended).toMatchObject({ exitCode: 1, message: 'leader election lost' });
    // It renewed once more, perhaps, before the server was gone.
    expect(ended!.at - renewed).toBeGreaterThanOrEqual(10_000);
    expect(ended!.at - renewed).toBeLessThanOrEqual(12_100);
  });

  test('does not wait for a server that says nothing', async () => {
    const cluster = await startedCluster({ timings: { serverAnswers: [60_000, 60_000], serverListens: [100, 100] } });
    const from = cluster.clock.now();
    killAll(cluster.node('cp1'), SERVER);
    await until(cluster, () => lifeOf(cluster, MANAGER, from).some(({ state }) => state === 'ended'));
    expect(cluster.clock.now() - from).toBeLessThanOrEqual(10_200);
  });

  test('whose lease was taken away leaves no gap when it ends: the next one leads already', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const from = cluster.clock.now();
    const before = holderOf(cluster, SCHEDULER);
    const lease = cluster.find('Lease', 'kube-system', SCHEDULER)!;
    const other = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    // Not the one that leads now: it would only take its lease again.
    while (holderOf(cluster, SCHEDULER) === before || holderOf(cluster, SCHEDULER) === '') {
      cluster.world.store.put({ ...cluster.find('Lease', 'kube-system', SCHEDULER)!, spec: other });
      await cluster.clock.sleep(700);
    }
    const next = holderOf(cluster, SCHEDULER);
    await until(cluster, () => lifeOf(cluster, SCHEDULER, from).some(({ state }) => state === 'ended'));
    await cluster.clock.sleep(5000);
    expect(holderOf(cluster, SCHEDULER)).toBe(next);
    expect(eventsOf(cluster, 'leader', { component: SCHEDULER }, from).map(({ holder }) => holder)).toEqual([next]);
    expect(await cluster.settle(60_000)).toBe(true);
  });

  test('outlives a server that is away for a shorter time', async () => {
    const cluster = await startedCluster();
    const from = cluster.clock.now();
    killAll(cluster.node('cp1'), SERVER);
    await cluster.clock.sleep(60_000);
    expect(lifeOf(cluster, MANAGER, from)).toEqual([]);
    expect(lifeOf(cluster, SCHEDULER, from)).toEqual([]);
  });

  test('that was told to end does not take back what it gave back', async () => {
    const longEnd = [3000, 3000] as const;
    for (const seed of [1, 2, 3]) {
      const cluster = await startedCluster({ seed, timings: { componentEnds: longEnd } });
      const from = cluster.clock.now();
      cluster.node('cp1').disk.remove(manifestPath(SCHEDULER));
      await until(cluster, () => lifeOf(cluster, SCHEDULER, from).some(({ state }) => state === 'ended'));
      expect(holderOf(cluster, SCHEDULER)).toBe('');
    }
  });
});

test('without leader election a component leads as soon as it runs, lease or none', async () => {
  const cluster = await startedCluster();
  const from = cluster.clock.now();
  addFlags(cluster.node('cp1'), SCHEDULER, '--leader-elect=false');
  await until(cluster, () => lifeOf(cluster, SCHEDULER, from).some(({ state }) => state === 'ready'));
  const [ready] = lifeOf(cluster, SCHEDULER, from).filter(({ state }) => state === 'ready');
  expect(eventsOf(cluster, 'leader', { component: SCHEDULER }, from).at(-1)).toMatchObject({ at: ready!.at });
  expect(holderOf(cluster, SCHEDULER)).toBe('');
});
