import { describe, expect, test } from 'vitest';
import {
  daemonSet,
  IDLE,
  manifestPath,
  podsOf,
  startedCluster,
  staticPod,
  until,
  writeManifest,
} from '../../../test/support/simulated.ts';
import type { Pod } from '../objects.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { SimulatedNode } from './node.ts';
import { isAnyAddress } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { startTraffic } from './traffic/traffic.ts';

const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);

/** What may befall a node. */
const MISHAPS: Readonly<Record<string, (node: SimulatedNode, random: Random) => void>> = {
  'a manifest goes': (node, random) => node.disk.remove(manifestPath(random.pick(COMPONENTS))),
  'manifests come back': (node) => restore(node),
  'a manifest changes': (node, random) => {
    const path = manifestPath(random.pick(COMPONENTS));
    const text = node.disk.read(path);
    if (text === undefined) return;
    const pod = JSON.parse(text) as Pod;
    const annotations = { ...pod.metadata.annotations, change: random.letters(5) };
    node.disk.write(path, JSON.stringify({ ...pod, metadata: { ...pod.metadata, annotations } }));
  },
  'a manifest is copied': (node, random) => {
    const text = node.disk.read(manifestPath(random.pick(COMPONENTS)));
    if (text !== undefined) node.disk.write(manifestPath('copy'), text);
  },
  'a second server begins': (node) => {
    const text = originals.get(node)?.get(manifestPath('kube-apiserver')) ?? '{}';
    node.disk.write(manifestPath('second'), text.replace('"name": "kube-apiserver"', '"name": "second"'));
  },
  'a Pod with a port comes': (node, random) => {
    const ports = [{ containerPort: random.pick([6443, 80, 81]) }];
    writeManifest(
      node,
      `x${random.letters(1)}`,
      staticPod('x', { hostNetwork: true, containers: [{ ...IDLE, ports }] }),
    );
  },
  'the kubelet restarts': (node) => node.restartKubelet(),
  'the power is cut': (node) => node.cutPower(),
  'the power comes back': (node) => node.boot(),
  'a process is killed': (node, random) => {
    if (node.processes.length > 0) node.kill(random.pick(node.processes).pid);
  },
};

/** What the manifests of a node were in the beginning. */
const originals = new WeakMap<SimulatedNode, ReadonlyMap<string, string>>();

function restore(node: SimulatedNode): void {
  for (const path of node.disk.paths()) if (!originals.get(node)!.has(path)) node.disk.remove(path);
  for (const [path, text] of originals.get(node)!) node.disk.write(path, text);
}

async function troubled(seed: number, controlPlanes: number): Promise<SimulatedCluster> {
  const cluster = await startedCluster({ seed, controlPlanes });
  for (const node of cluster.nodes)
    originals.set(node, new Map(node.disk.paths().map((path) => [path, node.disk.read(path)!])));
  const pod = { hostNetwork: true, tolerations: [{ operator: 'Exists' }] };
  const containers = [{ ...IDLE, ports: [{ containerPort: 80 }] }];
  await cluster.connect().create(daemonSet('d', { pod: { ...pod, containers } }));
  return cluster;
}

/** Lets mishaps come down on a cluster, one each few seconds. */
async function trouble(cluster: SimulatedCluster, seed: number, count = 25): Promise<void> {
  const random = createRandom(seed);
  const names = Object.keys(MISHAPS);
  for (let left = count; left > 0; left -= 1) {
    MISHAPS[random.pick(names)]!(random.pick(cluster.nodes), random);
    await cluster.clock.sleep(random.between(100, 15_000));
  }
}

/** Looks at something again and again until the end. */
function always(cluster: SimulatedCluster, look: () => void): void {
  const again = (): void => {
    look();
    cluster.clock.at(cluster.clock.now() + 25, again);
  };
  again();
}

/** Says what should never be on any machine. */
function faultsOf({ world, nodes }: SimulatedCluster): readonly string[] {
  return world.machines.flatMap(({ name, isOn, listeners, processes }, index) => {
    const { pods } = nodes[index]!;
    const clashes = listeners.filter((one) =>
      listeners.some(
        (other) =>
          other !== one &&
          other.port === one.port &&
          (other.address === one.address || isAnyAddress(other.address) || isAnyAddress(one.address)) &&
          !(one.isShared && other.isShared),
      ),
    );
    // What was evicted has a reason as well, and may take its time to end.
    const rejected = pods.filter(({ reason, state }) => reason !== undefined && state !== 'ending');
    const running = pods.filter(({ state }) => state === 'running' || state === 'starting').map((pod) => pod.name);
    return [
      ...clashes.map(({ port }) => `${name}: two have port ${port}`),
      ...listeners.filter(({ pid }) => !processes.has(pid)).map(({ pid }) => `${name}: ${pid} listens from the grave`),
      ...[...processes.values()]
        .filter(({ podUid }) => rejected.some(({ uid }) => uid === podUid))
        .map(({ podName }) => `${name}: ${podName} runs and was rejected`),
      ...(new Set(running).size < running.length ? [`${name}: two Pods of one name: ${running.join()}`] : []),
      ...(isOn || processes.size === 0 ? [] : [`${name}: runs without power`]),
    ];
  });
}

/** Somebody who only looks, from everywhere, for three minutes; and who writes what concerns nobody. */
async function lookOn(cluster: SimulatedCluster): Promise<void> {
  const clients = ['outside', 'w1', 'cp1'].map((from) => cluster.connect(from === 'outside' ? {} : { from }));
  const { host } = cluster.login('w1');
  const end = cluster.clock.now() + 180_000;
  for (let round = 0; cluster.clock.now() < end; round += 1) {
    for (const client of clients) {
      await client.isHealthy('readyz').catch(() => {});
      await client.list({ kind: 'Pod' }).catch(() => {});
    }
    const metadata = { generateName: 'look-', namespace: 'default' };
    await clients[0]!.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }).catch(() => {});
    await host.pullImage(`look:${round}`).catch(() => {});
    await cluster.clock.sleep(333);
  }
}

describe.each([1, 3])('with %i control planes', (controlPlanes) => {
  test.each([
    [
      'who asks once whether the API is healthy',
      async (cluster: SimulatedCluster) => cluster.connect().isHealthy().catch(String),
    ],
    ['who looks again and again', lookOn],
    ['whose traffic comes from everywhere', (cluster: SimulatedCluster) => startTraffic(cluster, { interval: 200 })],
  ])('somebody %s moves no event', async (_who, look) => {
    const run = async (seed: number, isWatched: boolean): Promise<readonly string[]> => {
      const cluster = await troubled(seed, controlPlanes);
      const begun = cluster.clock.now();
      if (isWatched) void look(cluster);
      await trouble(cluster, seed);
      // Who has a client of their own is moved no more than the cluster is.
      const own = cluster.login('cp1').cluster;
      const from = cluster.clock.now();
      await own.isHealthy().catch(() => {});
      return [
        `${cluster.clock.now() - from}`,
        ...cluster.events.filter(({ at }) => at > begun).map((event) => JSON.stringify(event)),
      ];
    };
    let count = 0;
    for (const seed of SEEDS) {
      const alone = await run(seed, false);
      count += alone.length;
      expect(await run(seed, true), `seed ${seed}`).toEqual(alone);
    }
    expect(count).toBeGreaterThan(200);
  });

  test('the same seed gives the same events', async () => {
    const events = async (seed: number): Promise<string> => {
      const cluster = await troubled(seed, controlPlanes);
      await trouble(cluster, 1);
      return JSON.stringify(cluster.events);
    };
    const first = await events(1);
    expect(await events(1)).toBe(first);
    expect(await events(2)).not.toBe(first);
  });

  test.each(SEEDS)(
    'no port has two owners, and nothing runs that was rejected, whatever happens (%i)',
    async (seed) => {
      const cluster = await troubled(seed, controlPlanes);
      const faults = new Set<string>();
      always(cluster, () => {
        for (const fault of faultsOf(cluster)) faults.add(fault);
      });
      await trouble(cluster, seed);
      expect([...faults]).toEqual([]);
    },
  );

  test.each(SEEDS)('what was acknowledged is there and was seen, and all is well in the end (%i)', async (seed) => {
    const cluster = await troubled(seed, controlPlanes);
    const traffic = startTraffic(cluster, { interval: 500 });
    await trouble(cluster, seed);
    for (const node of cluster.nodes) {
      node.boot();
      restore(node);
    }
    await cluster.clock.sleep(20_000);
    // A Pod that was rejected is tried again by a kubelet that is restarted.
    for (const node of cluster.nodes) node.restartKubelet();
    const all = cluster.nodes.length;
    await until(
      cluster,
      () =>
        cluster.nodes.every(({ pods }) => pods.every(({ isReady }) => isReady)) &&
        podsOf(cluster, 'd-').filter(({ status }) => status?.phase === 'Running').length === all,
    );
    const report = await traffic.stop();
    expect(report).toMatchObject({ missing: 0, watch: { lost: 0 } });
    expect(report.requests - report.failed).toBeGreaterThan(100);
  });
});
