import { describe, expect, test } from 'vitest';
import {
  eventsOf,
  IDLE,
  isReady,
  lifeOf,
  manifestPath,
  podsOf,
  processesOf,
  startedCluster,
  staticPod,
  until,
  writeManifest,
} from '../../../../test/support/simulated.ts';
import type { PodObject } from '../../api.ts';
import type { Pod, PodSpec } from '../../objects.ts';
import type { SimulatedCluster } from '../cluster.ts';
import type { SimulatedNode } from '../node.ts';
import { MIRROR_ANNOTATION } from '../api/registry.ts';

const MIRROR = { kind: 'Pod', namespace: 'default', name: 'x-w1' } as const;

interface Bench {
  readonly cluster: SimulatedCluster;
  readonly node: SimulatedNode;
}

async function bench(): Promise<Bench> {
  const cluster = await startedCluster();
  return { cluster, node: cluster.node('w1') };
}

/** A worker on which a static Pod x runs. */
async function running(pod: Pod = staticPod('x')): Promise<Bench> {
  const one = await bench();
  writeManifest(one.node, 'x', pod);
  await until(one.cluster, () => podsOf(one.cluster, 'x-w1').some(isReady));
  return one;
}

function mirrorOf({ cluster }: Bench): PodObject | undefined {
  return cluster.find('Pod', 'default', 'x-w1');
}

function withPort(containerPort: number): Partial<PodSpec> {
  return { hostNetwork: true, containers: [{ ...IDLE, ports: [{ containerPort }] }] };
}

function asking(cpu: string, more: Partial<PodSpec> = {}): Partial<PodSpec> {
  return { containers: [{ ...IDLE, resources: { requests: { cpu } } }], ...more };
}

describe('a manifest', () => {
  test('becomes a Pod that the API shows as a mirror', async () => {
    const one = await running();
    expect(one.node.pods).toMatchObject([{ name: 'x-w1', isStatic: true, state: 'running', isReady: true }]);
    const mirror = mirrorOf(one)!;
    expect(mirror.metadata.annotations?.[MIRROR_ANNOTATION]).toBe(one.node.pods[0]!.uid);
    expect(mirror.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'w1' }]);
    expect(mirror.status).toMatchObject({ phase: 'Running', hostIP: '10.0.0.21' });
  });

  test('that goes takes its Pod and the mirror with it', async () => {
    const one = await running();
    one.node.disk.remove(manifestPath('x'));
    await until(one.cluster, () => mirrorOf(one) === undefined);
    expect(one.node.processes).toEqual([]);
    expect(one.node.pods).toEqual([]);
  });

  test('that goes before its Pod has started starts nothing', async () => {
    const cluster = await startedCluster({ timings: { startPod: [5000, 5000] } });
    const node = cluster.node('w1');
    writeManifest(node, 'x', staticPod('x'));
    await until(cluster, () => node.pods[0]?.state === 'starting');
    node.disk.remove(manifestPath('x'));
    await cluster.clock.sleep(60_000);
    expect(lifeOf(cluster, 'idle')).toEqual([]);
    expect(node.pods).toEqual([]);
  });

  test('that changes makes another Pod, which waits for the first one to end', async () => {
    const one = await running();
    const uid = one.node.pods[0]!.uid;
    const from = one.cluster.clock.now();
    writeManifest(one.node, 'x', staticPod('x', { containers: [{ ...IDLE, args: ['--other'] }] }));
    await until(one.cluster, () => one.node.pods.length === 2);
    expect(one.node.pods.map(({ state }) => state)).toEqual(['ending', 'waiting']);
    await until(one.cluster, () => one.node.pods.length === 1 && one.node.pods[0]!.isReady);
    expect(one.node.pods[0]!.uid).not.toBe(uid);
    const life = lifeOf(one.cluster, 'idle', from).map(({ podUid, state }) => [podUid === uid, state]);
    expect(life).toEqual([
      [true, 'ended'],
      [false, 'started'],
    ]);
  });

  test('that comes back as it was runs again', async () => {
    const one = await running();
    one.node.disk.remove(manifestPath('x'));
    await until(one.cluster, () => one.node.pods[0]?.state === 'ending');
    writeManifest(one.node, 'x', staticPod('x'));
    await until(one.cluster, () => one.node.pods.length === 0);
    await until(one.cluster, () => one.node.pods[0]?.isReady);
  });

  test.each(['.x.yaml', '.x'])('in the file %s is not read', async (name) => {
    const one = await bench();
    one.node.disk.write(`/etc/kubernetes/manifests/${name}`, JSON.stringify(staticPod('x')));
    await one.cluster.clock.sleep(60_000);
    expect(one.node.pods).toEqual([]);
  });

  test('has an heir in a copy of it that somebody left in the folder', async () => {
    const one = await running();
    one.node.disk.write('/etc/kubernetes/manifests/x.yaml.bak', one.node.disk.read(manifestPath('x'))!);
    await until(one.cluster, () => one.node.pods.length === 2);
    one.node.disk.remove(manifestPath('x'));
    await until(one.cluster, () => one.node.pods.length === 1 && one.node.pods[0]!.state === 'running');
    expect(one.node.processes).toHaveLength(1);
  });

  test.each(['secret', 'configMap', 'projected', 'persistentVolumeClaim'])(
    'that needs a %s is not run',
    async (source) => {
      const one = await bench();
      writeManifest(one.node, 'x', staticPod('x', { volumes: [{ name: 'v', [source]: {} }] }));
      await one.cluster.clock.sleep(60_000);
      expect(one.node.pods).toEqual([]);
    },
  );

  test('that is no Pod, or nothing at all, is passed over', async () => {
    const one = await bench();
    one.node.disk.write(manifestPath('a'), '{');
    one.node.disk.write(manifestPath('b'), '');
    one.node.disk.write(manifestPath('c'), 'kind: ConfigMap');
    one.node.disk.write('/etc/kubernetes/elsewhere/d.yaml', JSON.stringify(staticPod('d')));
    one.node.disk.write(manifestPath('e'), 'kind: Pod\nmetadata: {name: e}\nspec: {containers: [{name: e, image: e}]}');
    await one.cluster.clock.sleep(60_000);
    expect(one.node.pods).toMatchObject([{ name: 'e-w1', namespace: 'default', isReady: true }]);
  });
});

test('a mirror that somebody deletes comes back with its status, and the Pod goes on', async () => {
  const one = await running();
  const { uid } = mirrorOf(one)!.metadata;
  const pids = processesOf(one.node, 'idle').map(({ pid }) => pid);
  for (const gracePeriodSeconds of [30, 0]) {
    await one.cluster.connect().delete(MIRROR, { gracePeriodSeconds });
    await until(one.cluster, () => (mirrorOf(one)?.metadata.uid ?? uid) !== uid && isReady(mirrorOf(one)!));
  }
  expect(processesOf(one.node, 'idle').map(({ pid }) => pid)).toEqual(pids);
});

describe('a static Pod that asks for a port that another Pod has', () => {
  async function rejected(): Promise<Bench> {
    const one = await bench();
    writeManifest(one.node, 'first', staticPod('first', withPort(80)));
    await until(one.cluster, () => one.node.pods[0]?.isReady);
    writeManifest(one.node, 'x', staticPod('x', withPort(80)));
    await until(one.cluster, () => one.node.pods.length === 2);
    expect(one.node.pods[1]).toMatchObject({ name: 'x-w1', state: 'rejected', reason: 'NodePorts' });
    expect(eventsOf(one.cluster, 'rejected')).toMatchObject([{ node: 'w1', pod: 'x-w1', reason: 'NodePorts' }]);
    return one;
  }

  test('is rejected, and not tried again when the port is free', async () => {
    const one = await rejected();
    one.node.disk.remove(manifestPath('first'));
    await one.cluster.clock.sleep(300_000);
    expect(one.node.pods).toMatchObject([{ name: 'x-w1', state: 'rejected' }]);
    expect(one.node.processes).toEqual([]);
    expect(mirrorOf(one)).toBeUndefined();
  });

  test('is tried again when its file changes, or the kubelet is restarted', async () => {
    for (const again of [
      ({ node }: Bench) => writeManifest(node, 'x', staticPod('x', { ...withPort(80), priority: 1 })),
      ({ node }: Bench) => node.restartKubelet(),
    ]) {
      const one = await rejected();
      one.node.disk.remove(manifestPath('first'));
      await one.cluster.clock.sleep(60_000);
      again(one);
      await until(one.cluster, () => one.node.pods[0]?.isReady && mirrorOf(one));
    }
  });

  test('is taken where the other one is rejected itself, or has ended', async () => {
    const one = await rejected();
    writeManifest(one.node, 'x', staticPod('x', withPort(81)));
    await until(one.cluster, () => one.node.pods.find(({ name }) => name === 'x-w1')?.isReady);
    one.node.disk.remove(manifestPath('first'));
    await until(one.cluster, () => one.node.pods.length === 1);
    writeManifest(one.node, 'third', staticPod('third', withPort(80)));
    await until(one.cluster, () => one.node.pods.find(({ name }) => name === 'third-w1')?.isReady);
  });
});

describe('a static Pod that asks for more than is left', () => {
  const USER: PodObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'user', namespace: 'default' },
    spec: asking('3'),
  };

  async function beside(pod: Pod): Promise<Bench> {
    const one = await bench();
    await one.cluster.connect().create(USER);
    await until(one.cluster, () => one.node.pods[0]?.isReady);
    writeManifest(one.node, 'x', pod);
    await until(one.cluster, () => one.node.pods.some(({ isStatic, state }) => isStatic && state !== 'starting'));
    return one;
  }

  test('makes Pods of users go where it is critical', async () => {
    const one = await beside(staticPod('x', asking('2', { priorityClassName: 'system-node-critical' })));
    await until(one.cluster, () => one.cluster.find('Pod', 'default', 'user')?.status?.phase === 'Failed');
    expect(one.cluster.find('Pod', 'default', 'user')?.status).toMatchObject({ reason: 'Preempting' });
    expect(eventsOf(one.cluster, 'evicted')).toMatchObject([{ node: 'w1', pod: 'user' }]);
    await until(one.cluster, () => one.node.pods.length === 1);
    expect(one.node.pods).toMatchObject([{ name: 'x-w1', isReady: true }]);
  });

  test('is rejected where it is not, or where that would not help', async () => {
    for (const pod of [
      staticPod('x', asking('2')),
      staticPod('x', asking('5', { priorityClassName: 'system-node-critical' })),
    ]) {
      const one = await beside(pod);
      expect(one.node.pods).toMatchObject([{ name: 'user' }, { state: 'rejected', reason: 'OutOfcpu' }]);
      expect(eventsOf(one.cluster, 'evicted')).toEqual([]);
    }
  });

  test('and for nothing is always taken', async () => {
    const one = await beside(staticPod('x'));
    expect(one.node.pods.map(({ state }) => state)).toEqual(['running', 'running']);
  });
});
