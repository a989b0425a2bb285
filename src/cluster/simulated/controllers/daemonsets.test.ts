import { describe, expect, test } from 'vitest';
import {
  daemonSet,
  IDLE,
  isReady,
  killAll,
  manifestPath,
  nodeNameOf,
  podsOf,
  startedCluster,
  until,
} from '../../../../test/support/simulated.ts';
import type { DaemonSetObject, PodObject } from '../../api.ts';
import type { SimulatedCluster } from '../cluster.ts';

const TOLERANT = { tolerations: [{ operator: 'Exists' }] };
const ON_DELETE = { spec: { updateStrategy: { type: 'OnDelete' } } };
const OTHER = { ...IDLE, image: 'idle:2' };

function nodesOf(cluster: SimulatedCluster): readonly string[] {
  return podsOf(cluster, 'd-')
    .filter((pod) => pod.status?.phase === 'Running')
    .map((pod) => String(nodeNameOf(pod)))
    .toSorted();
}

function imagesOf(cluster: SimulatedCluster): readonly unknown[] {
  return podsOf(cluster, 'd-').map(({ spec }) => (spec as { containers: { image: string }[] }).containers[0]!.image);
}

function serving(cluster: SimulatedCluster, count: number): boolean {
  const pods = podsOf(cluster, 'd-');
  return pods.length === count && pods.every(isReady);
}

async function withSet(object: DaemonSetObject, count: number, workers = 1): Promise<SimulatedCluster> {
  const cluster = await startedCluster({ workers });
  await cluster.connect().create(object);
  await until(cluster, () => serving(cluster, count));
  return cluster;
}

async function withImage(cluster: SimulatedCluster, image: string): Promise<void> {
  const set = cluster.find('DaemonSet', 'default', 'd')!;
  const spec = set.spec as ReturnType<typeof daemonSet>['spec'] & { readonly template: { readonly spec: object } };
  const containers = [{ ...IDLE, image }];
  const template = { ...spec.template, spec: { ...spec.template.spec, containers } };
  await cluster.connect().update({ ...set, spec: { ...spec, template } });
}

describe('a DaemonSet has one Pod on each node', () => {
  test.each([
    ['without a taint', daemonSet('d'), ['w1', 'w2']],
    ['whose taints it tolerates', daemonSet('d', { pod: TOLERANT }), ['cp1', 'w1', 'w2']],
    [
      'that it selects',
      daemonSet('d', { pod: { ...TOLERANT, nodeSelector: { 'node-role.kubernetes.io/control-plane': '' } } }),
      ['cp1'],
    ],
  ])('%s', async (_which, object, names) => {
    const cluster = await withSet(object, names.length, 2);
    await cluster.clock.sleep(1000);
    expect(nodesOf(cluster)).toEqual(names);
    expect(cluster.find('DaemonSet', 'default', 'd')?.status).toMatchObject({
      desiredNumberScheduled: names.length,
      numberReady: names.length,
      updatedNumberScheduled: names.length,
      observedGeneration: 1,
    });
    await cluster.clock.sleep(60_000);
    expect(podsOf(cluster, 'd-')).toHaveLength(names.length);
  });

  test('and none where the node is not selected any more', async () => {
    const cluster = await withSet(daemonSet('d', { pod: { nodeSelector: { a: '1' } } }), 0);
    const node = cluster.find('Node', undefined, 'w1')!;
    const label = (labels: Record<string, string>) =>
      cluster.connect().update({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'w1', labels }, spec: node.spec! });
    await label({ a: '1' });
    await until(cluster, () => serving(cluster, 1));
    await label({});
    await until(cluster, () => podsOf(cluster, 'd-').length === 0);
    expect(cluster.node('w1').processes).toEqual([]);
  });
});

test.each([
  ['NoSchedule', 1],
  ['NoExecute', 0],
])('a taint %s that comes later leaves %i Pod', async (effect, count) => {
  const cluster = await withSet(daemonSet('d'), 1);
  const node = cluster.find('Node', undefined, 'w1')!;
  await cluster.connect().update({ ...node, spec: { taints: [{ key: 'a', effect }] } });
  await cluster.clock.sleep(60_000);
  expect(podsOf(cluster, 'd-')).toHaveLength(count);
  expect(cluster.find('DaemonSet', 'default', 'd')?.status).toMatchObject({ desiredNumberScheduled: 0 });
});

describe('an update of the template', () => {
  test('replaces one Pod after the other', async () => {
    const cluster = await withSet(daemonSet('d'), 3, 3);
    await withImage(cluster, 'idle:2');
    let fewest = 3;
    const isDone = (): boolean => {
      const ready = podsOf(cluster, 'd-').filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp);
      fewest = Math.min(fewest, ready.length);
      return ready.length === 3 && imagesOf(cluster).every((image) => image === 'idle:2');
    };
    await until(cluster, isDone);
    expect(fewest).toBe(2);
  });

  test.each([
    [2, 1],
    ['50%', 1],
    ['34%', 1],
    ['33%', 2],
  ])('leaves no more than %s of three nodes without a Pod', async (maxUnavailable, least) => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } };
    const cluster = await withSet(daemonSet('d', { spec: { updateStrategy } }), 3, 3);
    await withImage(cluster, 'idle:2');
    let fewest = 3;
    await until(cluster, () => {
      const ready = podsOf(cluster, 'd-').filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp);
      fewest = Math.min(fewest, ready.length);
      return ready.length === 3 && imagesOf(cluster).every((image) => image === 'idle:2');
    });
    expect(fewest).toBe(least);
  });

  test('replaces at once what does not serve anyway', async () => {
    const sick = { ...IDLE, command: ['etcd'], readinessProbe: { httpGet: { port: 9, host: '127.0.0.1' } } };
    const cluster = await startedCluster({ workers: 3 });
    await cluster.connect().create(daemonSet('d', { pod: { containers: [sick] } }));
    await until(cluster, () => nodesOf(cluster).length === 3);
    await withImage(cluster, 'idle:2');
    await until(cluster, () => podsOf(cluster, 'd-').filter(({ metadata }) => metadata.deletionTimestamp).length === 3);
  });

  test('waits for somebody to delete a Pod where that is the strategy', async () => {
    const cluster = await withSet(daemonSet('d', ON_DELETE), 1);
    await withImage(cluster, 'idle:2');
    await cluster.clock.sleep(60_000);
    expect(imagesOf(cluster)).toEqual(['idle:1']);
    expect(cluster.find('DaemonSet', 'default', 'd')?.status).toMatchObject({ updatedNumberScheduled: 0 });
    const { name } = podsOf(cluster, 'd-')[0]!.metadata;
    await cluster.connect().delete({ kind: 'Pod', namespace: 'default', name: name! });
    await until(cluster, () => podsOf(cluster, 'd-')[0]?.metadata.deletionTimestamp);
    expect(imagesOf(cluster)).toEqual(['idle:1']);
    await until(cluster, () => podsOf(cluster, 'd-').every(({ metadata }) => metadata.name !== name));
    expect(cluster.node('w1').processes).toEqual([]);
    await until(cluster, () => serving(cluster, 1) && imagesOf(cluster)[0] === 'idle:2');
  });
});

describe('a Pod with the labels of a DaemonSet', () => {
  const orphan = (name: string, namespace = 'default'): PodObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'd' } },
    spec: { containers: [IDLE], nodeName: 'w1' },
  });

  test('and without an owner is taken over in the place of a new one', async () => {
    const cluster = await startedCluster();
    await cluster.connect().create(orphan('d-old'));
    await until(cluster, () => serving(cluster, 1));
    const set = await cluster.connect().create(daemonSet('d', ON_DELETE));
    await cluster.clock.sleep(30_000);
    expect(podsOf(cluster, 'd-').map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.uid])).toEqual([
      ['d-old', set.metadata.uid],
    ]);
  });

  test('is one too many where there is an older one', async () => {
    const cluster = await withSet(daemonSet('d', ON_DELETE), 1);
    const { name } = podsOf(cluster, 'd-')[0]!.metadata;
    await cluster.clock.sleep(1000);
    await cluster.connect().create(orphan('d-other'));
    await until(cluster, () => podsOf(cluster, 'd-other').length === 0);
    expect(podsOf(cluster, 'd-').map(({ metadata }) => metadata.name)).toEqual([name]);
  });

  test('in another namespace is none of its', async () => {
    const cluster = await startedCluster();
    await cluster.connect().create(orphan('d-old', 'kube-system'));
    await cluster.connect().create(daemonSet('d'));
    await until(cluster, () => serving(cluster, 2));
    expect(podsOf(cluster, 'd-old')[0]!.metadata.ownerReferences).toBeUndefined();
  });
});

test('a Pod that failed is replaced, after pauses that grow', async () => {
  const cluster = await startedCluster();
  const created: number[] = [];
  cluster.world.store.onChange(({ type, object }) => {
    if (type === 'ADDED' && object.metadata.name!.startsWith('d-')) created.push(cluster.clock.now());
  });
  const hungry = { ...IDLE, resources: { requests: { cpu: '3' } } };
  const user: PodObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'user', namespace: 'default' },
    spec: { containers: [hungry], nodeName: 'w1' },
  };
  await cluster.connect().create(user);
  await until(cluster, () => cluster.node('w1').pods[0]?.state === 'running');
  // In the place of the scheduler somebody gives every Pod a node, whatever it asks for.
  cluster.node('cp1').disk.remove(manifestPath('kube-scheduler'));
  await until(cluster, () => cluster.node('cp1').pods.length === 3);
  cluster.world.store.onChange(({ type, object }) => {
    if (type !== 'ADDED' || !object.metadata.name!.startsWith('d-')) return;
    const bound = { ...object, spec: { ...(object as PodObject).spec, nodeName: 'w1' } } as PodObject;
    cluster.clock.at(cluster.clock.now() + 5, () => {
      cluster.world.registry({ verb: 'update', subresource: 'binding', object: bound }, 'system:kube-scheduler');
    });
  });
  await cluster.connect().create(daemonSet('d', { pod: { containers: [hungry] } }));
  await cluster.clock.sleep(130_000);
  const pauses = created.slice(1).map((at, index) => Math.round((at - created[index]!) / 1000));
  expect(pauses.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 32]);
  expect(cluster.events.filter(({ type }) => type === 'rejected')[0]).toMatchObject({ node: 'w1', reason: 'OutOfcpu' });
});

test('nothing happens while nobody leads', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  node.disk.remove(manifestPath('kube-controller-manager'));
  killAll(node, 'kube-controller-manager');
  await cluster.connect().create(daemonSet('d', { pod: { containers: [OTHER] } }));
  await cluster.clock.sleep(60_000);
  expect(podsOf(cluster, 'd-')).toEqual([]);
});
