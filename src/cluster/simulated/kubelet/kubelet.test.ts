import { describe, expect, test } from 'vitest';
import {
  daemonSet,
  eventsOf,
  IDLE,
  isReady,
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
} from '../../../../test/support/simulated.ts';
import type { PodObject } from '../../api.ts';
import type { PodSpec } from '../../objects.ts';
import { createSimulatedCluster, type SimulatedCluster } from '../cluster.ts';
import type { SimulatedNode } from '../node.ts';

const SERVER = 'kube-apiserver';
const TOLERANT = { tolerations: [{ operator: 'Exists' }] };

function boundTo(nodeName: string, name = 'x'): PodObject {
  const spec: PodSpec & { readonly nodeName: string } = { containers: [IDLE], nodeName };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec };
}

/** A cluster with a Pod of a DaemonSet on each node. */
async function withSet(controlPlanes = 1): Promise<SimulatedCluster> {
  const cluster = await startedCluster({ controlPlanes });
  await cluster.connect().create(daemonSet('d', { pod: TOLERANT }));
  await until(cluster, () => podsOf(cluster, 'd-').filter(isReady).length === controlPlanes + 1);
  return cluster;
}

/** Takes the API server of a node away, and ends when it is gone. Returns what puts it back. */
async function park(cluster: SimulatedCluster, node: SimulatedNode): Promise<() => void> {
  const text = node.disk.read(manifestPath(SERVER))!;
  node.disk.remove(manifestPath(SERVER));
  await until(cluster, () => node.pods.every(({ name }) => !name.startsWith(SERVER)));
  return () => node.disk.write(manifestPath(SERVER), text);
}

function pidsOf(node: SimulatedNode): readonly number[] {
  return node.processes.map(({ pid }) => pid);
}

function isKnown(node: SimulatedNode, prefix: string): boolean {
  return node.pods.some(({ name }) => name.startsWith(prefix));
}

describe('a kubelet that is restarted', () => {
  test('keeps every process, and knows it again', async () => {
    const cluster = await withSet();
    const node = cluster.node('cp1');
    const before = pidsOf(node);
    const uids = node.pods.map(({ uid }) => uid).toSorted();
    const from = cluster.clock.now();
    node.restartKubelet();
    expect(node.pods).toEqual([]);
    await until(cluster, () => node.pods.length === uids.length && node.pods.every((pod) => pod.isReady));
    expect(pidsOf(node)).toEqual(before);
    expect(node.pods.map(({ uid }) => uid).toSorted()).toEqual(uids);
    expect(eventsOf(cluster, 'process', {}, from)).toEqual([]);
    expect(eventsOf(cluster, 'kubelet', { node: 'cp1' }, from).map(({ state }) => state)).toEqual([
      'stopped',
      'started',
    ]);
    await until(cluster, () => podsOf(cluster, '').every(isReady));
  });

  test('does not know the Pods of the API, and takes nothing away, until it hears the API', async () => {
    const cluster = await withSet();
    const node = cluster.node('cp1');
    writeManifest(node, 'x', staticPod('x'));
    await until(cluster, () => podsOf(cluster, 'x-cp1').some(isReady));
    const putBack = await park(cluster, node);
    const idle = processesOf(node, 'idle').map(({ pid }) => pid);
    node.restartKubelet();
    await cluster.clock.sleep(5000);
    node.disk.remove(manifestPath('x'));
    await cluster.clock.sleep(60_000);
    expect(isKnown(node, 'd-')).toBe(false);
    expect(isKnown(node, 'x-')).toBe(true);
    expect(processesOf(node, 'idle').map(({ pid }) => pid)).toEqual(idle);
    putBack();
    await until(cluster, () => isKnown(node, 'd-') && !isKnown(node, 'x-'));
    expect(processesOf(node, 'idle')).toHaveLength(1);
    expect(idle).toContain(processesOf(node, 'idle')[0]!.pid);
  });

  test('starts what is new in its folder all the same', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    await park(cluster, node);
    node.restartKubelet();
    writeManifest(node, 'x', staticPod('x'));
    await until(cluster, () => node.pods.find(({ name }) => name === 'x-cp1')?.isReady);
  });

  test('ends what nobody wants any more', async () => {
    const cluster = await withSet();
    const node = cluster.node('w1');
    const putBack = await park(cluster, cluster.node('cp1'));
    node.restartKubelet();
    const object = podsOf(cluster, 'd-').find((pod) => nodeNameOf(pod) === 'w1')!;
    cluster.world.store.remove(object);
    await cluster.clock.sleep(30_000);
    expect(processesOf(node, 'idle').map(({ podUid }) => podUid)).toEqual([object.metadata.uid]);
    putBack();
    await until(cluster, () => processesOf(node, 'idle').every(({ podUid }) => podUid !== object.metadata.uid));
  });

  test('ends a Pod that was deleted meanwhile as any other: the API has it until its process is gone', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('w1');
    await cluster.connect().create(boundTo('w1'));
    await until(cluster, () => node.pods[0]?.isReady);
    cluster.world.machines.find(({ name }) => name === 'w1')!.processes.get(pidsOf(node)[0]!)!.onTerminate = () => {};
    node.restartKubelet();
    await cluster.connect().delete({ kind: 'Pod', namespace: 'default', name: 'x' }, { gracePeriodSeconds: 20 });
    await cluster.clock.sleep(15_000);
    expect(node.processes).toHaveLength(1);
    expect(cluster.find('Pod', 'default', 'x')).toBeDefined();
    await until(cluster, () => cluster.find('Pod', 'default', 'x') === undefined);
    expect(node.processes).toEqual([]);
  });

  test('does so once, however often it is told to', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('w1');
    const from = cluster.clock.now();
    node.restartKubelet();
    node.restartKubelet();
    await cluster.clock.sleep(10_000);
    expect(eventsOf(cluster, 'kubelet', { node: 'w1' }, from)).toHaveLength(2);
  });
});

describe('a power cut', () => {
  test('leaves the disk alone: what has no manifest is back only when the API is', async () => {
    const cluster = await withSet();
    const node = cluster.node('cp1');
    const { host } = cluster.login('cp1');
    await host.pullImage('new:1');
    await host.redirect.set({ from: [{ address: '10.0.0.11', port: 9 }], to: { address: '10.0.0.11', port: 6443 } });
    const putBack = await park(cluster, node);
    const before = (await host.containers()).map(({ id }) => id);
    node.cutPower();
    expect(node).toMatchObject({ isOn: false, processes: [], listeners: [], pods: [] });
    const from = cluster.clock.now();
    node.boot();
    await cluster.clock.sleep(60_000);
    expect(node.pods.map(({ name }) => name).toSorted()).toEqual([
      'etcd-cp1',
      'kube-controller-manager-cp1',
      'kube-scheduler-cp1',
    ]);
    const again = cluster.login('cp1').host;
    expect(await again.redirect.get()).toBeUndefined();
    expect(await again.images()).toContain('new:1');
    expect((await again.containers()).filter(({ id }) => before.includes(id))).toEqual([]);
    putBack();
    await until(cluster, () => node.pods.find(({ name }) => name.startsWith('d-'))?.isReady);
    expect(eventsOf(cluster, 'power', { node: 'cp1' }, from - 1).map(({ state }) => state)).toEqual(['off', 'on']);
  });

  test('ends whoever was logged in, in the middle of what they did', async () => {
    const cluster = await startedCluster();
    const login = cluster.login('cp1');
    let isDone = false;
    void login.host.files.write('/x', 'x').then(() => (isDone = true));
    void login.clock.sleep(5000).then(() => (isDone = true));
    cluster.node('cp1').cutPower();
    await cluster.clock.sleep(10_000);
    expect(login.isAlive).toBe(false);
    expect(isDone).toBe(false);
    expect(cluster.node('cp1').disk.read('/x')).toBeUndefined();
  });

  test('is no time to restart a kubelet', async () => {
    const cluster = await startedCluster({ timings: { boot: [20_000, 20_000] } });
    const node = cluster.node('w1');
    node.cutPower();
    node.restartKubelet();
    node.boot();
    await cluster.clock.sleep(15_000);
    expect(eventsOf(cluster, 'kubelet', { node: 'w1', state: 'started' })).toHaveLength(1);
    await cluster.clock.sleep(10_000);
    expect(eventsOf(cluster, 'kubelet', { node: 'w1', state: 'started' })).toHaveLength(2);
  });

  test('of a worker leaves its Pods as they were in the API', async () => {
    const cluster = await withSet();
    cluster.node('w1').cutPower();
    await cluster.clock.sleep(60_000);
    expect(podsOf(cluster, 'd-')).toHaveLength(2);
  });
});

test('a kubelet beside an API server asks that one, even if others serve', async () => {
  const cluster = await startedCluster({ controlPlanes: 3 });
  const node = cluster.node('cp1');
  const putBack = await park(cluster, node);
  await cluster.connect().create(boundTo('cp1'));
  await cluster.connect().create(boundTo('w1', 'y'));
  await until(cluster, () => cluster.node('w1').pods[0]?.isReady);
  await cluster.clock.sleep(60_000);
  expect(isKnown(node, 'x')).toBe(false);
  putBack();
  await until(cluster, () => node.pods.find(({ name }) => name === 'x')?.isReady);
});

test('a node that does not know its labels yet takes no Pod that asks for some', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const spec = { nodeSelector: { 'node-role.kubernetes.io/control-plane': '' } };
  await park(cluster, node);
  node.restartKubelet();
  writeManifest(node, 'x', staticPod('x', spec));
  await until(cluster, () => node.pods.find(({ name }) => name === 'x-cp1')?.state === 'rejected');
  expect(node.pods.find(({ name }) => name === 'x-cp1')?.reason).toBe('NodeAffinity');
  const other = await startedCluster();
  writeManifest(other.node('cp1'), 'x', staticPod('x', spec));
  await until(other, () => other.node('cp1').pods.find(({ name }) => name === 'x-cp1')?.isReady);
});

test('a node knows the labels that it has by itself before it has heard the API, and the API has them too', async () => {
  const own = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  const cluster = createSimulatedCluster();
  const node = cluster.node('cp1');
  for (const name of ['etcd', SERVER, 'kube-scheduler', 'kube-controller-manager']) {
    const pod = manifestOn(node, name);
    const nodeSelector = { ...own, 'kubernetes.io/hostname': 'cp1' };
    writeManifest(node, name, { ...pod, spec: { ...pod.spec, nodeSelector } });
  }
  writeManifest(node, 'x', staticPod('x', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } }));
  await cluster.start();
  expect(eventsOf(cluster, 'rejected')).toMatchObject([{ pod: 'x-cp1', reason: 'NodeAffinity' }]);
  expect(cluster.find('Node', undefined, 'w1')!.metadata.labels).toEqual({ ...own, 'kubernetes.io/hostname': 'w1' });
});

test('an image that is not there is pulled, once', async () => {
  const cluster = await startedCluster({ timings: { pullImage: [20_000, 20_000] } });
  const node = cluster.node('w1');
  for (const longest of [22_000, 2000]) {
    const from = cluster.clock.now();
    writeManifest(node, 'x', staticPod('x'));
    await until(cluster, () => lifeOf(cluster, 'idle', from).length > 0);
    const took = cluster.clock.now() - from;
    expect(took).toBeLessThan(longest);
    expect(took).toBeGreaterThan(longest - 2000);
    node.disk.remove(manifestPath('x'));
    await until(cluster, () => node.pods.length === 0);
  }
});

test('a process that is killed is started again in the same Pod', async () => {
  const cluster = await withSet();
  const node = cluster.node('w1');
  const { uid } = node.pods[0]!;
  killAll(node, 'idle');
  await until(cluster, () => processesOf(node, 'idle').length === 1);
  expect(processesOf(node, 'idle')[0]).toMatchObject({ podUid: uid, attempt: 1 });
  const containers = await cluster.login('w1').host.containers();
  expect(containers.map(({ state, exitCode, attempt }) => ({ state, exitCode, attempt }))).toEqual([
    { state: 'exited', exitCode: 137, attempt: 0 },
    { state: 'running', exitCode: undefined, attempt: 1 },
  ]);
});
