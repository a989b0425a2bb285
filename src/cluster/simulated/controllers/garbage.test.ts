import { expect, test } from 'vitest';
import {
  daemonSet,
  isReady,
  killAll,
  manifestPath,
  podsOf,
  startedCluster,
  until,
} from '../../../../test/support/simulated.ts';
import type { SimulatedCluster } from '../cluster.ts';

const SET = { kind: 'DaemonSet', namespace: 'default', name: 'd' } as const;

async function withSet(): Promise<SimulatedCluster> {
  const cluster = await startedCluster({ workers: 2 });
  await cluster.connect().create(daemonSet('d'));
  await until(cluster, () => podsOf(cluster, 'd-').filter(isReady).length === 2);
  return cluster;
}

test('a DaemonSet that is deleted is gone at once, and its Pods go afterwards', async () => {
  const cluster = await withSet();
  await cluster.connect().delete(SET);
  expect(cluster.find(...placeOf())).toBeUndefined();
  expect(podsOf(cluster, 'd-')).toHaveLength(2);
  await until(cluster, () => podsOf(cluster, 'd-').length === 0);
  expect(cluster.node('w1').processes).toEqual([]);
});

test('a DaemonSet that is deleted in the foreground stays until its last Pod is gone', async () => {
  const cluster = await withSet();
  await cluster.connect().delete(SET, { propagation: 'Foreground' });
  let most = 0;
  await until(cluster, () => {
    if (cluster.find(...placeOf()) !== undefined) most = Math.max(most, podsOf(cluster, 'd-').length);
    else expect(podsOf(cluster, 'd-')).toEqual([]);
    return cluster.find(...placeOf()) === undefined;
  });
  expect(most).toBe(2);
});

test('a DaemonSet that is deleted as a parent of orphans leaves its Pods behind', async () => {
  const cluster = await withSet();
  const names = podsOf(cluster, 'd-').map(({ metadata }) => metadata.name);
  await cluster.connect().delete(SET, { propagation: 'Orphan' });
  await until(cluster, () => cluster.find(...placeOf()) === undefined);
  await cluster.clock.sleep(60_000);
  expect(podsOf(cluster, 'd-').map(({ metadata }) => metadata.name)).toEqual(names);
  expect(podsOf(cluster, 'd-').flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
  expect(podsOf(cluster, 'd-').every(isReady)).toBe(true);
});

test('nothing is collected while nobody leads', async () => {
  const cluster = await withSet();
  const node = cluster.node('cp1');
  const text = node.disk.read(manifestPath('kube-controller-manager'))!;
  node.disk.remove(manifestPath('kube-controller-manager'));
  killAll(node, 'kube-controller-manager');
  await cluster.connect().delete(SET, { propagation: 'Foreground' });
  await cluster.clock.sleep(60_000);
  expect(cluster.find(...placeOf())).toBeDefined();
  expect(podsOf(cluster, 'd-').filter(isReady)).toHaveLength(2);
  node.disk.write(manifestPath('kube-controller-manager'), text);
  await until(cluster, () => cluster.find(...placeOf()) === undefined);
});

test('a mirror Pod belongs to its node, and is not collected while the node is there', async () => {
  const cluster = await withSet();
  const mirror = podsOf(cluster, 'etcd-cp1')[0]!;
  expect(mirror.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'cp1' }]);
  await cluster.clock.sleep(60_000);
  expect(podsOf(cluster, 'etcd-cp1')[0]!.metadata.uid).toBe(mirror.metadata.uid);
});

function placeOf() {
  return [SET.kind, SET.namespace, SET.name] as const;
}

test('an owner of a kind that is not looked for counts as being there', async () => {
  const cluster = await startedCluster();
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u' };
  const metadata = { name: 'p', namespace: 'default', ownerReferences: [owner] };
  const spec = { containers: [{ name: 'idle', image: 'idle:1', command: ['idle'] }] };
  await cluster.connect().create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  await cluster.clock.sleep(60_000);
  expect(podsOf(cluster, 'p')).toHaveLength(1);
});
