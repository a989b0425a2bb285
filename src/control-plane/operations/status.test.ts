import { describe, expect, test } from 'vitest';
import { addFlags, editContainer, killAll, startedCluster } from '../../../test/support/simulated.ts';
import type { SimulatedCluster } from '../../cluster/simulated/cluster.ts';
import { executeChange, goOn } from './execute.ts';
import type { Station } from './station.ts';
import { status, type Status } from './status.ts';

function stationOn(cluster: SimulatedCluster, node = 'cp1'): Station {
  const { host, cluster: api, clock } = cluster.login(node);
  return { host, cluster: api, clock };
}

function look(cluster: SimulatedCluster): Promise<Status> {
  return status(stationOn(cluster));
}

/** A pivot that stops before its nth step. */
async function pivotUntil(cluster: SimulatedCluster, steps: number): Promise<void> {
  let asked = 0;
  await executeChange(stationOn(cluster), { verb: 'pivot' }, { id: 'one', isStopping: () => (asked += 1) > steps });
}

const served = ({ components }: Status): readonly string[] => components.map(({ servedBy }) => servedBy);
const safe = ({ kubeadm }: Status): readonly string[] => kubeadm.filter(({ isSafe }) => isSafe).map(({ verb }) => verb);

test('a new control plane runs from static Pods, and nothing is left to do', async () => {
  const found = await look(await startedCluster());
  expect(served(found)).toEqual(['static Pod', 'static Pod', 'static Pod']);
  expect(found.components.map(({ definedBy }) => definedBy)).toEqual(['manifest', 'manifest', 'manifest']);
  expect(found).toMatchObject({ api: 'serves', isPivoted: false, helpers: [], next: [], unseen: [] });
  expect(found.leases.every(({ isHere }) => isHere)).toBe(true);
  expect(safe(found)).toEqual(['upgrade', 'certs renew', 'join', 'reset']);
});

test('a pivoted one is hosted, and kubeadm must not upgrade it', async () => {
  const cluster = await startedCluster();
  await pivotUntil(cluster, 99);
  const found = await look(cluster);
  expect(served(found)).toEqual(['hosted Pod', 'hosted Pod', 'hosted Pod']);
  expect(found).toMatchObject({ isPivoted: true, next: [] });
  expect(safe(found)).toEqual(['certs renew', 'join', 'reset']);
});

describe('a run that was stopped', () => {
  test('is told with its place, its redirect and its relay', async () => {
    const cluster = await startedCluster();
    await pivotUntil(cluster, 5);
    const found = await look(cluster);
    expect(served(found)).toEqual(['nobody', 'static Pod', 'static Pod']);
    expect(found.api).toBe('serves');
    expect(found.redirect?.to).toEqual({ address: '10.0.0.11', port: 6444 });
    expect(found.helpers).toEqual(['kube-apiserver-relay-cp1']);
    expect(found.run).toMatchObject({ verb: 'pivot', direction: 'forward', done: 5, steps: 18, finishPending: false });
    expect(found.lockedBy).toBe('cp1');
    expect(safe(found)).toEqual([]);
    expect(found.next).toHaveLength(1);
    expect(found.next[0]).toContain('bootlace control-plane resume');
  });

  test('says after a way back without an API that the cluster has not been told', async () => {
    const cluster = await startedCluster();
    await pivotUntil(cluster, 99);
    expect((await goOn(stationOn(cluster), 'rollback-offline')).outcome).toBe('undone');
    const found = await look(cluster);
    expect(found.run?.finishPending).toBe(true);
    expect(found.next).toEqual([expect.stringContaining('rollback --finish')]);
    expect((await goOn(stationOn(cluster), 'finish')).outcome).toBe('undone');
    expect(await look(cluster)).toMatchObject({ next: [], isPivoted: false });
  });
});

test('a pivoted node after a power cut says what brings it back', async () => {
  const cluster = await startedCluster();
  await pivotUntil(cluster, 99);
  cluster.node('cp1').cutPower();
  await cluster.clock.sleep(10_000);
  cluster.node('cp1').boot();
  await cluster.clock.sleep(60_000);
  const found = await look(cluster);
  expect(found).toMatchObject({ api: 'does not serve', isPivoted: true });
  expect(found.next).toEqual([
    'Nothing on the disk starts the hosted API server again: `bootlace control-plane rollback` brings the static Pods back.',
  ]);
});

test('a pivoted node whose server runs and does not answer is not told that nothing starts it', async () => {
  const cluster = await startedCluster();
  await pivotUntil(cluster, 99);
  const station = stationOn(cluster);
  const silent: Station['cluster'] = { ...station.cluster, isHealthy: async () => false };
  const found = await status({ ...station, cluster: silent });
  expect(served(found)[0]).toBe('hosted Pod');
  expect(found.next).toEqual([expect.stringContaining('The hosted API server runs and does not answer')]);
});

test('a process that does not run as it is defined is told apart', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  // The kubelet has not read it yet.
  addFlags(node, 'kube-scheduler', '--v=7');
  const found = await look(cluster);
  expect(found.components[2]!.drift).toEqual(['runs without --v=7']);
  expect(found.next).toEqual([expect.stringContaining('roll --component kube-scheduler --restart')]);
});

test('a component that ends again and again is served by nobody', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  cluster.failStarts(({ program }) => (program === 'kube-scheduler' ? 'broken' : undefined));
  killAll(node, 'kube-scheduler');
  await cluster.clock.sleep(5000);
  const found = await look(cluster);
  expect(served(found)).toEqual(['static Pod', 'static Pod', 'nobody']);
  expect(found.next).toEqual([expect.stringContaining('Nobody serves kube-scheduler')]);
});

test('another program on the port of a component is told as what it is', async () => {
  const cluster = await startedCluster();
  editContainer(cluster.node('cp1'), 'kube-scheduler', (container) => ({
    ...container,
    command: container.command!.map((flag) => flag.replace('--leader-elect=true', '--secure-port=10257')),
  }));
  await cluster.clock.sleep(90_000);
  expect(served(await look(cluster))[2]).toBe('other');
});

test('other nodes with a control plane are told as far as the cluster knows them', async () => {
  const cluster = await startedCluster({ controlPlanes: 3 });
  await executeChange(stationOn(cluster, 'cp2'), { verb: 'pivot' }, { id: 'two' });
  let asked = 0;
  await executeChange(
    stationOn(cluster, 'cp3'),
    { verb: 'pivot' },
    { id: 'three', isStopping: () => (asked += 1) > 3 },
  );
  const found = await look(cluster);
  expect(found.others).toEqual([
    { node: 'cp2', hosted: ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'], hasRun: false },
    { node: 'cp3', hosted: [], hasRun: true },
  ]);
  expect(found.next).toEqual(['A run on cp3 has not come to its end: go on with it there.']);
});
