import { describe, expect, onTestFinished, test } from 'vitest';
import {
  addFlags,
  eventsOf,
  killAll,
  lifeOf,
  manifestOn,
  manifestPath,
  processesOf,
  startedCluster,
  until,
  writeManifest,
} from '../../../../test/support/simulated.ts';
import { isClusterError, type Cluster, type ConfigMapObject, type Selection, type WatchEvent } from '../../api.ts';
import type { Reply } from '../api/requests.ts';
import { createSimulatedCluster, type SimulatedCluster } from '../cluster.ts';
import type { Server } from '../network.ts';
import { stockManifests } from '../stock.ts';

const SERVER = 'kube-apiserver';
const NODE = { address: '10.0.0.11', port: 6443 };
const CONFIG_MAPS = { kind: 'ConfigMap', namespace: 'default' } as const;
const SLICE = ['EndpointSlice', 'default', 'kubernetes'] as const;

function configMap(name: string, labels: Record<string, string> = {}): ConfigMapObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels } };
}

/** An open connection to the server of a node. */
function opened({ world }: SimulatedCluster, endpoint = NODE): Server {
  const server = world.network.connect({}, endpoint);
  if ('refusal' in server) throw new Error(server.refusal.message);
  return server;
}

function asked(server: Server): Reply | undefined {
  let reply: Reply | undefined;
  server.request({ verb: 'list', selection: CONFIG_MAPS }, 'kubernetes-admin', (answer) => {
    reply = answer;
  });
  return reply;
}

interface Watching {
  /** `ADDED c 5`, or `BOOKMARK 6`. */
  readonly told: string[];
  /** How it ended: the code of an error, or `closed`. */
  end?: string;
}

function watching(cluster: Cluster, resourceVersion: string, selection: Selection = CONFIG_MAPS): Watching {
  const state: Watching = { told: [] };
  const stop = new AbortController();
  // Somebody who waits keeps the clock going.
  onTestFinished(() => stop.abort());
  async function follow(): Promise<void> {
    for await (const event of cluster.watch(selection, { resourceVersion, signal: stop.signal }))
      state.told.push(textOf(event));
  }
  follow().then(
    () => (state.end = 'closed'),
    (error: unknown) => (state.end = (error as { readonly code: string }).code),
  );
  return state;
}

function textOf(event: WatchEvent): string {
  if (event.type === 'BOOKMARK') return `BOOKMARK ${event.resourceVersion}`;
  const { name, resourceVersion } = event.object.metadata;
  return `${event.type} ${name} ${resourceVersion}`;
}

describe('a watch', () => {
  test('tells what happened behind its version and what happens later, in order', async () => {
    const cluster = await startedCluster();
    const api = cluster.connect();
    const { resourceVersion } = await api.list(CONFIG_MAPS);
    const one = (await api.create(configMap('c'))).metadata.resourceVersion!;
    const watch = watching(api, resourceVersion);
    await cluster.clock.sleep(100);
    expect(watch.told).toEqual([`ADDED c ${one}`]);
    const two = (await api.update({ ...configMap('c'), data: { a: '1' } })).metadata.resourceVersion!;
    await api.delete({ ...CONFIG_MAPS, name: 'c' });
    await cluster.clock.sleep(100);
    expect(watch.told.slice(1)).toEqual([`MODIFIED c ${two}`, `DELETED c ${Number(two) + 1}`]);
    const rest = watching(api, one);
    await cluster.clock.sleep(100);
    expect(rest.told).toEqual(watch.told.slice(1));
  });

  test('by label tells of what gets the label as of something new, and of what loses it as of something gone', async () => {
    const cluster = await startedCluster();
    const api = cluster.connect();
    const { resourceVersion } = await api.list(CONFIG_MAPS);
    const watch = watching(api, resourceVersion, { ...CONFIG_MAPS, labelSelector: 'a=1' });
    await api.create(configMap('c'));
    for (const labels of [{ a: '1' }, { a: '1', b: '1' }, { a: '2' }, { a: '3' }])
      await api.update(configMap('c', labels));
    await cluster.clock.sleep(100);
    expect(watch.told.map((text) => text.split(' ')[0])).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('has a bookmark of the newest version after each quiet minute', async () => {
    const cluster = await startedCluster();
    const api = cluster.connect();
    const { resourceVersion } = await api.list(CONFIG_MAPS);
    const watch = watching(api, resourceVersion);
    await cluster.clock.sleep(59_000);
    expect(watch.told).toEqual([]);
    await cluster.clock.sleep(2000);
    expect(watch.told).toHaveLength(1);
    expect(Number(watch.told[0]!.replace('BOOKMARK ', ''))).toBeGreaterThan(Number(resourceVersion));
    await cluster.clock.sleep(60_000);
    expect(watch.told).toHaveLength(2);
  });

  test('has no bookmark before the changes that it counts in', async () => {
    const cluster = await startedCluster({ timings: { watch: [5000, 5000] } });
    const api = cluster.connect();
    const { resourceVersion } = await api.list(CONFIG_MAPS);
    const watch = watching(api, resourceVersion);
    await cluster.clock.sleep(58_000);
    const version = Number((await api.create(configMap('c'))).metadata.resourceVersion);
    await cluster.clock.sleep(10_000);
    expect(watch.told).toEqual([`ADDED c ${version}`, expect.stringContaining('BOOKMARK')]);
    expect(Number(watch.told[1]!.replace('BOOKMARK ', ''))).toBeGreaterThanOrEqual(version);
  });

  test('that is resumed on a server that has started since is too old, unless it has seen a bookmark', async () => {
    const cluster = await startedCluster();
    const api = cluster.connect();
    const { resourceVersion } = await api.list(CONFIG_MAPS);
    const watch = watching(api, resourceVersion);
    await api.create(configMap('c'));
    const seen = cluster.world.store.version;
    const from = cluster.clock.now();
    killAll(cluster.node('cp1'), SERVER);
    await until(cluster, () => watch.end !== undefined);
    expect(watch.end).toBe('UNREACHABLE');
    await until(cluster, () => eventsOf(cluster, 'process', { program: SERVER, state: 'ready' }, from).length > 0);
    const old = watching(api, resourceVersion);
    await until(cluster, () => old.end !== undefined);
    expect(old.end).toBe('GONE');
    expect(seen).toBeGreaterThan(Number(resourceVersion));
    const { resourceVersion: current } = await api.list(CONFIG_MAPS);
    const next = watching(api, current);
    await api.create(configMap('d'));
    await cluster.clock.sleep(100);
    expect(next.told).toHaveLength(1);
  });

  test('cannot begin where nothing listens', async () => {
    const cluster = createSimulatedCluster();
    const watch = watching(cluster.connect(), '0');
    await cluster.clock.sleep(1000);
    expect(watch.end).toBe('TIMEOUT');
  });
});

test('a server that starts keeps connections waiting, then refuses, then answers, and is ready last', async () => {
  const cluster = createSimulatedCluster();
  const starting = cluster.start();
  const node = cluster.node('cp1');
  const admin = cluster.connect();
  const heard: string[] = [];
  await until(cluster, () => processesOf(node, SERVER).length > 0);
  expect(await admin.isHealthy().catch(({ code }: { code: string }) => code)).toBe('UNREACHABLE');
  await until(cluster, () => node.listeners.some(({ port }) => port === 6443));
  const listens = cluster.clock.now();
  // This one waits.
  heard.push(await admin.list(CONFIG_MAPS).then(String, ({ code }: { code: string }) => code));
  expect(cluster.clock.now() - listens).toBeGreaterThan(800);
  let isHealthy = await admin.isHealthy('livez');
  while (!(await admin.isHealthy('readyz'))) {
    heard.push(
      `${isHealthy} ${await admin.list(CONFIG_MAPS).then(
        () => 'ok',
        ({ code }: { code: string }) => code,
      )}`,
    );
    isHealthy = await admin.isHealthy('livez');
    await cluster.clock.sleep(20);
  }
  expect([...new Set(heard)].filter((text) => text !== 'false ok')).toEqual([
    'FORBIDDEN',
    'false FORBIDDEN',
    'true ok',
  ]);
  await starting;
});

describe('a server that is told to end', () => {
  async function ending(...flags: readonly string[]) {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    if (flags.length > 0) {
      const from = cluster.clock.now();
      addFlags(node, SERVER, ...flags);
      await until(cluster, () => lifeOf(cluster, SERVER, from).some(({ state }) => state === 'ready'));
      await cluster.clock.sleep(30_000);
    }
    const server = opened(cluster);
    const { resourceVersion } = await cluster.connect().list(CONFIG_MAPS);
    const watch = watching(cluster.connect(), resourceVersion);
    await cluster.clock.sleep(100);
    const from = cluster.clock.now();
    node.disk.remove(manifestPath(SERVER));
    await until(cluster, () => lifeOf(cluster, SERVER, from).some(({ state }) => state === 'stopping'));
    return { cluster, node, server, watch, from };
  }

  test('listens no more, answers 503 on open connections, cuts watches, and is killed after 30 seconds', async () => {
    const { cluster, node, server, watch, from } = await ending();
    expect(node.listeners.filter(({ port }) => port === 6443)).toEqual([]);
    expect(cluster.world.network.connect({}, NODE)).toMatchObject({ refusal: { message: 'connection refused' } });
    expect(asked(server)).toMatchObject({ status: 503, retryAfter: true, code: 'UNAVAILABLE' });
    await until(cluster, () => watch.end !== undefined);
    expect(watch.end).toBe('closed');
    expect(processesOf(node, SERVER)).toHaveLength(1);
    await until(cluster, () => processesOf(node, SERVER).length === 0);
    const [stopping, ended] = lifeOf(cluster, SERVER, from);
    expect(ended).toMatchObject({ state: 'ended', exitCode: 137 });
    expect(ended!.at - stopping!.at).toBe(30_000);
    expect(asked(server)).toMatchObject({ status: 0, message: 'connection reset' });
  });

  test('with a delay goes on serving for so long, but says that it is not ready and leaves the Service', async () => {
    const { cluster, server, watch, from } = await ending('--shutdown-delay-duration=5s');
    const admin = cluster.connect();
    expect(await admin.isHealthy('readyz')).toBe(false);
    expect(await admin.isHealthy('livez')).toBe(true);
    await admin.create(configMap('c'));
    expect(asked(server)?.status).toBe(200);
    expect(cluster.find(...SLICE)?.endpoints).toEqual([]);
    await cluster.clock.sleep(4500);
    expect(asked(server)?.status).toBe(200);
    await cluster.clock.sleep(1000);
    expect(asked(server)?.status).toBe(503);
    expect(watch).toMatchObject({ told: [expect.stringContaining('ADDED c')], end: 'closed' });
    expect(lifeOf(cluster, SERVER, from).map(({ state }) => state)).toEqual(['stopping']);
  });

  test('before it answers never serves', async () => {
    const cluster = createSimulatedCluster({ timings: { serverAnswers: [5000, 5000], noticeManifest: [50, 50] } });
    const node = cluster.node('cp1');
    node.boot();
    await until(cluster, () => node.listeners.some(({ port }) => port === 6443));
    const server = opened(cluster);
    // The kubelet takes nothing away before it has heard the API.
    const { pid } = processesOf(node, SERVER)[0]!;
    cluster.world.machines[0]!.processes.get(pid)!.terminate();
    await cluster.clock.sleep(20_000);
    expect(asked(server)?.status).not.toBe(200);
    const life = lifeOf(cluster, SERVER).filter((event) => event.pid === pid);
    expect(life.map(({ state }) => state)).not.toContain('ready');
  });
});

describe('a server is held by whoever has heard it last, and not by the dead:', () => {
  const { 'etcd.yaml': etcd, 'kube-apiserver.yaml': server, ...managers } = stockManifests({ address: '10.0.0.11' });

  /** A server that nobody holds, for want of managers and proxies, but for a kubelet without a way to come back. */
  async function bench(more: Readonly<Record<string, string>> = {}) {
    const cluster = createSimulatedCluster({
      manifests: { 'etcd.yaml': etcd!, 'kube-apiserver.yaml': server!, ...more },
      timings: { proxy: [1e9, 1e9], restartKubelet: [1e9, 1e9] },
    });
    const [plane, worker] = [cluster.node('cp1'), cluster.node('w1')];
    plane.boot();
    await until(cluster, () => lifeOf(cluster, SERVER).some(({ state }) => state === 'ready'));
    await cluster.clock.sleep(20_000);
    /** How the server ends: 0 where nobody held it, and nothing where it still waits for somebody. */
    async function ended(): Promise<number | undefined> {
      const { pid } = processesOf(plane, SERVER)[0]!;
      cluster.world.machines[0]!.processes.get(pid)!.terminate();
      await cluster.clock.sleep(10_000);
      return lifeOf(cluster, SERVER).find((event) => event.pid === pid && event.state === 'ended')?.exitCode;
    }
    return { cluster, plane, worker, ended };
  }

  test('a kubelet holds it while it lives', async () => {
    const { ended } = await bench();
    expect(await ended()).toBeUndefined();
  });

  test('a kubelet that has ended does not', async () => {
    const { cluster, plane, ended } = await bench();
    plane.restartKubelet();
    expect(await ended()).toBe(0);
    expect(cluster.world.lastServers.size).toBe(0);
  });

  test('a machine holds it until its power is cut', async () => {
    for (const isCut of [false, true]) {
      const { cluster, plane, worker, ended } = await bench();
      worker.boot();
      await until(cluster, () => eventsOf(cluster, 'kubelet', { node: 'w1' }).length > 0);
      await cluster.clock.sleep(5000);
      plane.restartKubelet();
      if (isCut) worker.cutPower();
      expect(await ended()).toBe(isCut ? 0 : undefined);
    }
  });

  test('a process holds it until its end', async () => {
    for (const isKilled of [false, true]) {
      const { plane, ended } = await bench(managers);
      plane.restartKubelet();
      if (isKilled) for (const name of ['kube-scheduler', 'kube-controller-manager']) killAll(plane, name);
      expect(await ended()).toBe(isKilled ? 0 : undefined);
    }
  });

  test('a program that watches holds it until its end, and one that only asks does not', async () => {
    for (const isKilled of [false, true]) {
      const { cluster, plane, ended } = await bench();
      const login = cluster.login('cp1');
      const { resourceVersion } = await login.cluster.list(CONFIG_MAPS);
      watching(login.cluster, resourceVersion);
      await cluster.clock.sleep(1000);
      plane.restartKubelet();
      if (isKilled) login.kill();
      await cluster.connect().list(CONFIG_MAPS);
      expect(await ended()).toBe(isKilled ? 0 : undefined);
    }
  });
});

test('a server without etcd waits for 20 seconds and ends, and one whose etcd goes answers 500', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const from = cluster.clock.now();
  node.disk.remove(manifestPath('etcd'));
  await until(cluster, () => processesOf(node, 'etcd').length === 0);
  expect(asked(opened(cluster))).toMatchObject({ status: 500, message: 'etcdserver: no leader' });
  expect(await cluster.connect().isHealthy('livez')).toBe(false);
  killAll(node, SERVER);
  await until(cluster, () => lifeOf(cluster, SERVER, from).filter(({ state }) => state === 'ended').length === 2);
  const [, listening, ended] = lifeOf(cluster, SERVER, from).slice(1);
  expect(ended).toMatchObject({ state: 'ended', exitCode: 1 });
  expect(ended!.at - listening!.at).toBeGreaterThanOrEqual(20_000);
});

test('a server whose port is taken ends within a moment', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const pod = manifestOn(node, SERVER);
  const containers = pod.spec.containers.map(({ ports: _ports, ...container }) => container);
  const from = cluster.clock.now();
  writeManifest(node, 'second', { ...pod, metadata: { name: 'second' }, spec: { ...pod.spec, containers } });
  await until(cluster, () => lifeOf(cluster, SERVER, from).length > 1);
  expect(lifeOf(cluster, SERVER, from)[1]).toMatchObject({
    pod: 'second-cp1',
    state: 'ended',
    exitCode: 1,
    message: expect.stringContaining('6443'),
  });
});

describe('the endpoints of the API', () => {
  test('are written again every ten seconds', async () => {
    const cluster = await startedCluster();
    const slice = cluster.find(...SLICE)!;
    expect(slice.endpoints).toEqual([{ addresses: ['10.0.0.11'], conditions: { ready: true } }]);
    for (const round of [1, 2]) {
      await cluster.connect().delete({ kind: 'EndpointSlice', namespace: 'default', name: 'kubernetes' });
      const from = cluster.clock.now();
      await until(cluster, () => cluster.find(...SLICE));
      expect(cluster.clock.now() - from, `round ${round}`).toBeLessThanOrEqual(10_100);
      await cluster.clock.sleep(1000);
    }
  });

  test('lose a server that is told to end at once, even the last one', async () => {
    const cluster = await startedCluster();
    const from = cluster.clock.now();
    cluster.node('cp1').disk.remove(manifestPath(SERVER));
    await until(cluster, () => lifeOf(cluster, SERVER, from).length > 0);
    expect(cluster.find(...SLICE)?.endpoints).toEqual([]);
  });

  test('lose a server that just vanishes when it has not been heard for 15 seconds', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const addresses = (): unknown => cluster.find(...SLICE)?.endpoints.flatMap((endpoint) => endpoint.addresses);
    expect(addresses()).toEqual(['10.0.0.11', '10.0.0.12', '10.0.0.13']);
    cluster.node('cp2').cutPower();
    await cluster.clock.sleep(4000);
    expect(addresses()).toHaveLength(3);
    await cluster.clock.sleep(22_000);
    expect(addresses()).toEqual(['10.0.0.11', '10.0.0.13']);
  });

  test('do not know a server that keeps out of them', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    const from = cluster.clock.now();
    addFlags(node, SERVER, '--endpoint-reconciler-type=none');
    await until(cluster, () => lifeOf(cluster, SERVER, from).some(({ state }) => state === 'ready'));
    await cluster.clock.sleep(20_000);
    expect(cluster.find(...SLICE)?.endpoints).toEqual([]);
  });
});

test('an answer that is no is an answer about health, and none is an error', async () => {
  const cluster = await startedCluster();
  killAll(cluster.node('cp1'), SERVER);
  const error: unknown = await cluster
    .connect()
    .isHealthy()
    .catch((reason: unknown) => reason);
  expect(isClusterError(error, 'UNREACHABLE')).toBe(true);
});
