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

  test('that is only written in another way restarts nothing', async () => {
    const { apiVersion, kind, metadata, spec } = staticPod('x');
    const one = await running();
    const { uid } = one.node.pods[0]!;
    const from = one.cluster.clock.now();
    for (const text of [
      `${JSON.stringify(staticPod('x'))} \n`,
      JSON.stringify({ spec, metadata, kind, apiVersion }, undefined, 4),
      JSON.stringify({ ...staticPod('x'), metadata: { creationTimestamp: null, ...metadata }, status: {} }),
      `# A comment.
apiVersion: v1
kind: Pod
metadata:
  namespace: default
  name: x # another one
spec:
  containers:
    - image: 'idle:1'
      name: "idle"
      command: [idle]
`,
    ]) {
      one.node.disk.write(manifestPath('x'), text);
      await one.cluster.clock.sleep(30_000);
      expect(one.node.pods).toMatchObject([{ uid, state: 'running' }]);
    }
    expect(lifeOf(one.cluster, 'idle', from)).toEqual([]);
    writeManifest(one.node, 'x', staticPod('x', { priority: 1 }));
    await until(one.cluster, () => lifeOf(one.cluster, 'idle', from).length === 2);
  });

  test('has another UID on another node and in another file', async () => {
    const cluster = await startedCluster({ workers: 2 });
    const [first, second] = [cluster.node('w1'), cluster.node('w2')];
    for (const node of [first, second]) writeManifest(node, 'x', staticPod('x'));
    writeManifest(first, 'y', staticPod('x'));
    await until(cluster, () => first.pods.length === 2 && second.pods.length === 1);
    expect(new Set([...first.pods, ...second.pods].map(({ uid }) => uid)).size).toBe(3);
  });

  test('that comes back as it was runs again', async () => {
    const one = await running();
    one.node.disk.remove(manifestPath('x'));
    await until(one.cluster, () => one.node.pods[0]?.state === 'ending');
    writeManifest(one.node, 'x', staticPod('x'));
    await until(one.cluster, () => one.node.pods.length === 0);
    await until(one.cluster, () => one.node.pods[0]?.isReady);
  });

  test.each(['.x.yaml', '.x', 'old/x.yaml'])('in the file %s is not read', async (name) => {
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

describe('a manifest that a kubelet cannot decode is passed over:', () => {
  const container = (more: object): string => JSON.stringify([{ name: 'c', image: 'i', ...more }]);
  const probe = (value: unknown): string => container({ livenessProbe: value });

  test.each<[string, string]>([
    ['no metadata', 'spec: {containers: [{name: c, image: i}]}'],
    ['metadata without a name', 'metadata: {namespace: a}\nspec: {containers: [{name: c, image: i}]}'],
    ['a name that is a number', 'metadata: {name: 7}\nspec: {containers: [{name: c, image: i}]}'],
    ['labels that are numbers', 'metadata: {name: x, labels: {a: 1}}\nspec: {containers: [{name: c, image: i}]}'],
    ['no spec', 'metadata: {name: x}'],
    ...Object.entries({
      'no containers': '[]',
      'a container that is nothing': '[null]',
      'a container that is a text': '[a]',
      'a container without a name': '[{image: i}]',
      'a command of numbers': container({ command: [1] }),
      'a command that is a text': container({ command: 'a b' }),
      'arguments that are nothing': container({ args: [null] }),
      'ports that are numbers': container({ ports: [80] }),
      'a port that is a text': container({ ports: [{ containerPort: '80' }] }),
      'an environment that is a mapping': container({ env: { A: '1' } }),
      'a variable that is a number': container({ env: [{ name: 'A', value: 1 }] }),
      'an image that is a number': container({ image: 3 }),
      'resources that are a list': container({ resources: [] }),
      'a probe that is a text': probe('a'),
      'a probe with a text for a number': probe({ periodSeconds: 'often' }),
      'a probe with half a second': probe({ periodSeconds: 0.5 }),
      'a probe of a host that is a number': probe({ httpGet: { host: 1, port: 2 } }),
    }).map(([what, containers]): [string, string] => [what, `metadata: {name: x}\nspec: {containers: ${containers}}`]),
    ...Object.entries({
      'volumes that are a number': 'volumes: 3',
      'a volume that is nothing': 'volumes: [null]',
      'a selector that is a text': 'nodeSelector: a=b',
      'a selector of numbers': 'nodeSelector: {a: 1}',
      'tolerations that are a mapping': 'tolerations: {}',
      'a network that is a text': 'hostNetwork: "true"',
      'a priority that is a text': 'priority: high',
      'a time that is a text': 'terminationGracePeriodSeconds: long',
    }).map(([what, field]): [string, string] => [
      what,
      `metadata: {name: x}\nspec: {containers: [{name: c, image: i}], ${field}}`,
    ]),
  ])('%s', async (_what, text) => {
    const one = await bench();
    one.node.disk.write(manifestPath('x'), `apiVersion: v1\nkind: Pod\n${text}\n`);
    writeManifest(one.node, 'y', staticPod('y'));
    await until(one.cluster, () => one.node.pods.some(({ isReady: ready }) => ready));
    expect(one.node.pods.map(({ name }) => name)).toEqual(['y-w1']);
    // Nothing of it stops the clock.
    await one.cluster.clock.sleep(30_000);
    expect(one.node.pods.map(({ name }) => name)).toEqual(['y-w1']);
  });

  test('fields that hold nothing are none', async () => {
    const one = await bench();
    one.node.disk.write(
      manifestPath('x'),
      `kind: Pod
metadata: {name: x, creationTimestamp: null, labels: null}
spec: {volumes: null, nodeSelector: null, containers: [{name: c, image: i, ports: null, env: null, command: null}]}
`,
    );
    await until(one.cluster, () => one.node.pods[0]?.isReady);
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
