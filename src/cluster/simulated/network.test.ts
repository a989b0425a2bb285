import { describe, expect, test } from 'vitest';
import {
  addFlags,
  killAll,
  lifeOf,
  manifestPath,
  processesOf,
  startedCluster,
  until,
} from '../../../test/support/simulated.ts';
import type { Cluster } from '../api.ts';
import type { Endpoint } from '../host.ts';
import type { SimulatedCluster } from './cluster.ts';
import { createRandom } from './random.ts';

const SERVER = 'kube-apiserver';
const NODE = { address: '10.0.0.11', port: 6443 };
/** Nobody listens here. */
const DEAD = { address: '10.0.0.11', port: 7000 };

/** How a client fares: `ok`, or the code of an error. */
async function asked(api: Cluster): Promise<string> {
  return api.list({ kind: 'Node' }).then(
    () => 'ok',
    ({ code }: { readonly code: string }) => code,
  );
}

function from(cluster: SimulatedCluster, node: string | undefined, endpoint: Endpoint): Promise<string> {
  return asked(cluster.connect({ endpoint, ...(node !== undefined && { from: node }) }));
}

describe('a redirect', () => {
  test('is followed on the node itself, from other nodes and from outside, until it is removed', async () => {
    const cluster = await startedCluster();
    const { redirect } = cluster.login('cp1').host;
    const all = async () => [
      await from(cluster, 'cp1', DEAD),
      await from(cluster, 'w1', DEAD),
      await from(cluster, undefined, DEAD),
    ];
    expect(await all()).toEqual(['UNREACHABLE', 'UNREACHABLE', 'UNREACHABLE']);
    const rule = { from: [DEAD], to: NODE };
    await redirect.set(rule);
    expect(await redirect.get()).toEqual(rule);
    expect(await all()).toEqual(['ok', 'ok', 'ok']);
    await redirect.remove();
    await redirect.remove();
    expect(await redirect.get()).toBeUndefined();
    expect(await all()).toEqual(['UNREACHABLE', 'UNREACHABLE', 'UNREACHABLE']);
    expect(cluster.events.filter(({ type }) => type === 'redirect')).toMatchObject([
      { node: 'cp1', state: 'set' },
      { node: 'cp1', state: 'removed' },
    ]);
  });

  test('is looked past by a direct connection from the node', async () => {
    const cluster = await startedCluster();
    const { host } = cluster.login('cp1');
    await host.redirect.set({ from: [NODE], to: DEAD });
    expect(await from(cluster, 'cp1', NODE)).toBe('UNREACHABLE');
    expect(await asked(host.connect(NODE))).toBe('UNREACHABLE');
    expect(await asked(host.connect(NODE, { direct: true }))).toBe('ok');
  });

  test('of a Service is followed on its own node alone', async () => {
    const cluster = await startedCluster();
    await cluster.login('cp1').host.redirect.set({ from: [cluster.service], to: DEAD });
    expect(await from(cluster, 'cp1', cluster.service)).toBe('UNREACHABLE');
    expect(await from(cluster, 'w1', cluster.service)).toBe('ok');
  });

  test('is followed once: what a Service has translated on the node is not translated again', async () => {
    const cluster = await startedCluster();
    await cluster.login('cp1').host.redirect.set({ from: [NODE], to: DEAD });
    expect(await from(cluster, 'cp1', cluster.service)).toBe('ok');
    // On the way to another node it is: there the packet arrives anew.
    expect(await from(cluster, 'w1', cluster.service)).toBe('UNREACHABLE');
  });

  test('leaves connections alone that are open', async () => {
    const cluster = await startedCluster();
    const server = cluster.world.network.connect({ node: 'w1' }, NODE);
    await cluster.login('cp1').host.redirect.set({ from: [NODE], to: DEAD });
    expect('refusal' in server || server.isOpen).toBe(true);
    expect(await from(cluster, 'w1', NODE)).toBe('UNREACHABLE');
  });

  test('with a time ends by itself, unless it is set again', async () => {
    const cluster = await startedCluster();
    const { redirect } = cluster.login('cp1').host;
    const rule = { from: [DEAD], to: NODE };
    await redirect.set(rule, { seconds: 10 });
    await cluster.clock.sleep(9000);
    await redirect.set(rule, { seconds: 10 });
    await cluster.clock.sleep(9000);
    expect(await from(cluster, 'w1', DEAD)).toBe('ok');
    await cluster.clock.sleep(2000);
    expect(await from(cluster, 'w1', DEAD)).toBe('UNREACHABLE');
    await redirect.set(rule, { seconds: 10 });
    await redirect.set(rule);
    await cluster.clock.sleep(60_000);
    expect(await from(cluster, 'w1', DEAD)).toBe('ok');
    const states = cluster.events.flatMap((event) => (event.type === 'redirect' ? [event.state] : []));
    expect(states).toEqual(['set', 'expired', 'set']);
  });

  test('of the loopback address keeps a new server from becoming ready', async () => {
    for (const [bindAddress, address] of [
      [undefined, '127.0.0.1'],
      ['10.0.0.11', '10.0.0.11'],
    ] as const) {
      const cluster = await startedCluster();
      const node = cluster.node('cp1');
      const begun = cluster.clock.now();
      if (bindAddress !== undefined) {
        addFlags(node, SERVER, `--bind-address=${bindAddress}`);
        await until(cluster, () => lifeOf(cluster, SERVER, begun).some(({ state }) => state === 'ready'));
      }
      const { redirect } = cluster.login('cp1').host;
      await redirect.set({ from: [{ address, port: 6443 }], to: DEAD });
      const since = cluster.clock.now();
      killAll(node, SERVER);
      await cluster.clock.sleep(19_000);
      expect(lifeOf(cluster, SERVER, since).map(({ state }) => state)).toEqual(['ended', 'started', 'listening']);
      await redirect.remove();
      await until(cluster, () => lifeOf(cluster, SERVER, since).at(-1)?.state === 'ready');
    }
  });
});

describe('a host firewall', () => {
  test('lets in its ports alone, and nothing of it counts on the node itself', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    node.setFirewall({ ports: [22], acceptsTranslated: false });
    expect(await from(cluster, 'w1', NODE)).toBe('TIMEOUT');
    expect(await from(cluster, 'cp1', NODE)).toBe('ok');
    node.setFirewall({ ports: [22, 6443], acceptsTranslated: false });
    expect(await from(cluster, 'w1', NODE)).toBe('ok');
    node.setFirewall(undefined);
    expect(await from(cluster, 'w1', DEAD)).toBe('UNREACHABLE');
  });

  test('sees the port that a redirect leads to, unless it accepts what was translated', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    const alias = { address: '10.0.0.11', port: 443 };
    await cluster.login('cp1').host.redirect.set({ from: [alias], to: NODE });
    node.setFirewall({ ports: [443], acceptsTranslated: false });
    expect(await from(cluster, 'w1', alias)).toBe('TIMEOUT');
    expect(await from(cluster, 'cp1', alias)).toBe('ok');
    node.setFirewall({ ports: [443], acceptsTranslated: true });
    expect(await from(cluster, 'w1', alias)).toBe('ok');
  });
});

describe('a port', () => {
  const SHARING = '--permit-port-sharing=true';

  /** Servers of the node when a second one was begun beside the stock one, each with or without sharing. */
  async function servers(first: boolean, second: boolean): Promise<SimulatedCluster> {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    const begun = cluster.clock.now();
    if (first) {
      addFlags(node, SERVER, SHARING);
      await until(cluster, () => lifeOf(cluster, SERVER, begun).some(({ state }) => state === 'ready'));
    }
    const pod = JSON.parse(node.disk.read(manifestPath(SERVER))!) as { metadata: object; spec: { containers: [] } };
    const [container] = pod.spec.containers as unknown as [{ command: string[]; ports?: unknown }];
    delete container.ports;
    container.command = container.command.filter((flag) => flag !== SHARING);
    if (second) container.command.push(SHARING);
    pod.metadata = { name: 'second' };
    node.disk.write(manifestPath('second'), JSON.stringify(pod));
    await cluster.clock.sleep(8000);
    return cluster;
  }

  test.each([
    [false, false, 1],
    [true, false, 1],
    [false, true, 1],
    [true, true, 2],
  ])('is shared when both want that: %j and %j make %i listeners', async (first, second, count) => {
    const cluster = await servers(first, second);
    expect(cluster.node('cp1').listeners.filter(({ port }) => port === 6443)).toHaveLength(count);
  });

  test('that two share gives connections to both', async () => {
    const cluster = await servers(true, true);
    const counts = new Map<unknown, number>();
    for (let index = 0; index < 100; index += 1) {
      const server = cluster.world.network.connect({}, NODE);
      counts.set(server, (counts.get(server) ?? 0) + 1);
    }
    expect(counts.size).toBe(2);
    expect(Math.min(...counts.values())).toBeGreaterThan(20);
  });

  test('on loopback is out of reach for others', async () => {
    const cluster = await startedCluster();
    const manager = { address: '127.0.0.1', port: 10257 };
    expect(await cluster.connect({ from: 'cp1', endpoint: manager }).isHealthy()).toBe(true);
    expect(await from(cluster, 'w1', manager)).toBe('UNREACHABLE');
    expect(await from(cluster, 'w1', { ...manager, address: '10.0.0.11' })).toBe('UNREACHABLE');
    expect(await from(cluster, 'cp1', { ...manager, address: '10.0.0.11' })).toBe('UNREACHABLE');
  });
});

test('a machine that is off answers nobody and asks nobody', async () => {
  const cluster = await startedCluster();
  cluster.node('w1').cutPower();
  expect(await from(cluster, 'w1', NODE)).toBe('TIMEOUT');
  cluster.node('cp1').cutPower();
  expect(await from(cluster, undefined, NODE)).toBe('TIMEOUT');
  expect(await from(cluster, undefined, { address: '10.9.9.9', port: 6443 })).toBe('TIMEOUT');
});

describe('a load balancer before three control planes', () => {
  test('gives connections to each, and to none that is not ready', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const served = (): number => {
      const servers = new Set<unknown>();
      for (let index = 0; index < 30; index += 1) servers.add(cluster.world.network.connect({}, cluster.endpoint));
      return servers.size;
    };
    expect(cluster.endpoint.address).not.toBe('10.0.0.11');
    expect(served()).toBe(3);
    const node = cluster.node('cp2');
    const text = node.disk.read(manifestPath(SERVER))!;
    node.disk.remove(manifestPath(SERVER));
    await until(cluster, () => processesOf(node, SERVER).length === 0);
    expect(served()).toBe(2);
    node.disk.write(manifestPath(SERVER), text);
    await until(cluster, () => node.listeners.some(({ port }) => port === 6443));
    // It listens, but two checks have to find it ready.
    await cluster.clock.sleep(1000);
    expect(served()).toBe(2);
    await cluster.clock.sleep(10_000);
    expect(served()).toBe(3);
  });

  test('tries the next one where a server that was up does not take a connection', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    for (const name of ['cp1', 'cp2']) cluster.node(name).cutPower();
    for (let index = 0; index < 10; index += 1)
      expect('refusal' in cluster.world.network.connect({}, cluster.endpoint)).toBe(false);
  });

  test('chooses for each client by its own chance, whoever else asks', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const servers: unknown[] = [];
    const chosen = (others: number): readonly number[] => {
      const random = createRandom(5);
      return Array.from({ length: 30 }, () => {
        for (let left = others; left > 0; left -= 1) cluster.world.network.connect({}, cluster.endpoint);
        const server = cluster.world.network.connect({ random }, cluster.endpoint);
        if (!servers.includes(server)) servers.push(server);
        return servers.indexOf(server);
      });
    };
    const alone = chosen(0);
    expect(new Set(alone).size).toBe(3);
    expect(chosen(1)).toEqual(alone);
    expect(chosen(4)).toEqual(alone);
  });

  test('has nobody to give them to when all are down', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    for (const name of ['cp1', 'cp2', 'cp3']) cluster.node(name).cutPower();
    await cluster.clock.sleep(30_000);
    expect(await from(cluster, undefined, cluster.endpoint)).toBe('UNREACHABLE');
  });
});

test('etcd serves while most of its members do', async () => {
  const cluster = await startedCluster({ controlPlanes: 3 });
  const server = { address: '10.0.0.13', port: 6443 };
  cluster.node('cp1').cutPower();
  expect(await from(cluster, undefined, server)).toBe('ok');
  cluster.node('cp2').cutPower();
  expect(await from(cluster, undefined, server)).toBe('UNAVAILABLE');
  expect(await cluster.connect({ endpoint: server }).isHealthy('readyz')).toBe(false);
  cluster.node('cp1').boot();
  await until(cluster, () => cluster.world.isStoreAvailable());
  expect(await from(cluster, undefined, server)).toBe('ok');
});
