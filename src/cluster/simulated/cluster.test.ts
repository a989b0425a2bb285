import { describe, expect, test } from 'vitest';
import {
  addFlags,
  IDLE,
  killAll,
  lifeOf,
  startedCluster,
  staticPod,
  until,
  writeManifest,
} from '../../../test/support/simulated.ts';
import { ClusterError, type ConfigMapObject } from '../api.ts';
import type { HostAction } from './host.ts';
import { createSimulatedCluster } from './cluster.ts';
import { createRandom } from './random.ts';
import { stockManifests } from './stock.ts';
import { startTraffic } from './traffic/traffic.ts';

const CONFIG_MAP: ConfigMapObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'n' } };
const REFERENCE = { kind: 'ConfigMap', namespace: 'n', name: 'c' } as const;

describe('a cluster', () => {
  test('serves when it has started: every Pod is ready, and somebody leads', async () => {
    for (const controlPlanes of [1, 3]) {
      const cluster = await startedCluster({ controlPlanes, workers: 2 });
      expect(cluster.nodes.map(({ name }) => name)).toEqual([
        ...['cp1', 'cp2', 'cp3'].slice(0, controlPlanes),
        'w1',
        'w2',
      ]);
      expect(cluster.nodes.flatMap(({ pods }) => pods).every(({ isReady }) => isReady)).toBe(true);
      const { items } = await cluster.connect().list({ kind: 'Lease' });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['kube-controller-manager', 'kube-scheduler']);
      expect((await cluster.connect().list({ kind: 'Node' })).items).toHaveLength(controlPlanes + 2);
    }
  });

  test('that cannot serve says what is missing', async () => {
    const cluster = createSimulatedCluster();
    cluster.failStarts(({ program }) => (program === 'kube-scheduler' ? 'unknown flag' : undefined));
    await expect(cluster.start()).rejects.toMatchObject({
      code: 'SIMULATION_STALLED',
      message: expect.stringContaining('kube-scheduler-cp1'),
    });
  });

  test('serves whatever becomes of Pods that are no part of the control plane', async () => {
    const cluster = createSimulatedCluster();
    const readinessProbe = { httpGet: { port: 9 }, periodSeconds: 1 };
    const never = staticPod('never', { nodeSelector: { a: 'b' } });
    for (const node of cluster.nodes) {
      writeManifest(node, 'never', never);
      writeManifest(node, 'idle', staticPod('idle', { containers: [{ ...IDLE, readinessProbe }] }));
    }
    cluster.failStarts(({ program }) => (program === 'idle' ? 'broken' : undefined));
    await cluster.start();
    await cluster.clock.sleep(10_000);
    expect(cluster.node('w1').pods.map(({ isComponent, isReady }) => ({ isComponent, isReady }))).toEqual([
      { isComponent: false, isReady: false },
      { isComponent: false, isReady: false },
    ]);
    expect(await cluster.settle(0)).toBe(true);
    const path = ['/usr/local/bin/kube-scheduler', '--x'];
    writeManifest(cluster.node('w1'), 'never', {
      ...never,
      spec: { ...never.spec, containers: [{ ...IDLE, command: path }] },
    });
    await cluster.clock.sleep(10_000);
    expect(await cluster.settle(0)).toBe(false);
  });

  test('takes its addresses and ports from the manifests that it is given', async () => {
    const texts = Object.entries(stockManifests({ address: '192.168.7.9', version: 'v1.37.2' })).map(
      ([name, text]) => [name, text.replaceAll('6443', '7443').replace('10.96.0.0/12', '172.20.0.0/16')] as const,
    );
    const cluster = await startedCluster({ manifests: Object.fromEntries(texts), controlPlanes: 2 });
    expect(cluster.endpoint.port).toBe(7443);
    expect(cluster.service).toEqual({ address: '172.20.0.1', port: 443 });
    expect(cluster.node('cp1').address).toBe('192.168.7.9');
    const second = cluster.node('cp2');
    expect(second.disk.read('/etc/kubernetes/manifests/kube-apiserver.yaml')).toContain(
      `--advertise-address=${second.address}`,
    );
    expect(second.address).not.toBe('192.168.7.9');
  });

  test('in which something throws rejects everyone who waits for it, and everyone who does later', async () => {
    const cluster = await startedCluster();
    const error = new Error('x');
    cluster.failStarts(() => {
      throw error;
    });
    const login = cluster.login('cp1');
    killAll(cluster.node('cp1'), 'kube-scheduler');
    const waiting = [cluster.clock.sleep(60_000), login.clock.sleep(60_000), cluster.settle(60_000)];
    for (const one of await Promise.allSettled(waiting))
      expect(one).toMatchObject({ status: 'rejected', reason: error });
    await expect(cluster.connect().list({ kind: 'Node' })).rejects.toBe(error);
    await expect(login.host.images()).rejects.toBe(error);
  });

  test('has no node of another name', () => {
    expect(() => createSimulatedCluster().node('cp2')).toThrow('"cp2"');
  });

  test('shares nothing with what it hands out or is given', async () => {
    const cluster = await startedCluster();
    const created = await cluster.connect().create({ ...CONFIG_MAP, data: { a: '1' } });
    (created.data as Record<string, string>)['a'] = '2';
    const found = cluster.find('ConfigMap', 'n', 'c')!;
    (found.data as Record<string, string>)['a'] = '3';
    expect((await cluster.connect().get(REFERENCE)).data).toEqual({ a: '1' });
  });

  test('may have policies, which also its own controllers hear', async () => {
    const cluster = await startedCluster();
    cluster.admit((object, operation) => (object.kind === 'ConfigMap' ? `no ${operation}` : undefined));
    await expect(cluster.connect().create(CONFIG_MAP)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('no create'),
    });
  });
});

describe('a process', () => {
  test('may be made to end as it starts', async () => {
    const cluster = await startedCluster();
    cluster.failStarts(({ argv }) => (argv.includes('--bad') ? 'unknown flag: --bad' : undefined));
    const node = cluster.node('w1');
    writeManifest(node, 'x', staticPod('x', { containers: [{ ...IDLE, args: ['--bad'] }] }));
    writeManifest(node, 'y', staticPod('y'));
    await until(cluster, () => lifeOf(cluster, 'idle').some(({ state }) => state === 'ended'));
    await cluster.clock.sleep(5000);
    expect(lifeOf(cluster, 'idle').find(({ state }) => state === 'ended')).toMatchObject({
      pod: 'x-w1',
      message: 'unknown flag: --bad',
    });
    expect(node.processes.filter(({ podName }) => podName === 'y-w1')).toHaveLength(1);
  });
});

describe('a login', () => {
  test('has the files of the node, with the errors of Node', async () => {
    const { host } = (await startedCluster()).login('cp1');
    const directory = '/etc/kubernetes/manifests';
    expect(await host.files.list(directory)).toEqual([
      'etcd.yaml',
      'kube-apiserver.yaml',
      'kube-controller-manager.yaml',
      'kube-scheduler.yaml',
    ]);
    await host.files.write(`${directory}/old/a.yaml`, 'b');
    expect(await host.files.list(directory)).toHaveLength(4);
    expect(await host.files.list(`${directory}/old`)).toEqual(['a.yaml']);
    await expect(host.files.list('/etc/kubernetes/manif')).rejects.toMatchObject({ code: 'ENOENT' });
    await host.files.write('/tmp/a', 'b');
    expect(String(await host.files.read('/tmp/a'))).toBe('b');
    await host.files.remove('/tmp/a');
    await host.files.remove('/tmp/a');
    await expect(host.files.read('/tmp/a')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(host.files.stat('/tmp/a')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('sees processes, listeners and containers of the node, each in its order', async () => {
    const cluster = await startedCluster();
    const { host } = cluster.login('cp1');
    const processes = await host.processes();
    const listeners = await host.listeners();
    const containers = await host.containers();
    expect(processes.map(({ argv }) => argv[0]!).toSorted()).toEqual([
      'etcd',
      'kube-apiserver',
      'kube-controller-manager',
      'kube-scheduler',
    ]);
    expect(listeners.map(({ port }) => port)).toEqual([2379, 6443, 10257, 10259]);
    expect(containers.map(({ state }) => state)).toEqual(['running', 'running', 'running', 'running']);
    for (const { pid, container } of processes) {
      expect(listeners.some((listener) => listener.pid === pid)).toBe(true);
      expect(containers.some(({ id }) => id === container)).toBe(true);
    }
    const [, , manager] = processes;
    await host.stopContainer(manager!.container!, 1);
    await cluster.clock.sleep(500);
    expect((await host.containers()).find(({ id }) => id === manager!.container)).toMatchObject({ state: 'exited' });
  });

  test('fails where it is told to, before anything is done', async () => {
    const seen: HostAction[] = [];
    const cluster = await startedCluster();
    const { host } = cluster.login('cp1', {
      host: (action) => {
        seen.push(action);
        return action.verb === 'write' ? Object.assign(new Error('full'), { code: 'ENOSPC' }) : undefined;
      },
    });
    await expect(host.files.write('/x', 'x')).rejects.toMatchObject({ code: 'ENOSPC' });
    await host.images();
    expect(seen).toEqual([{ verb: 'write', subject: '/x' }, expect.objectContaining({ verb: 'look' })]);
    expect(cluster.node('cp1').disk.read('/x')).toBeUndefined();
  });

  test('that is killed hears no more of anything, and the cluster goes on', async () => {
    const cluster = await startedCluster();
    const login = cluster.login('cp1');
    const heard: unknown[] = [];
    const note = (value: unknown): unknown => heard.push(value);
    login.cluster.create(CONFIG_MAP).then(note, note);
    login.host.files.write('/x', 'x').then(note, note);
    login.kill();
    login.clock.sleep(1000).then(note, note);
    await cluster.clock.sleep(60_000);
    expect(heard).toEqual([]);
    expect(login.isAlive).toBe(false);
    expect(cluster.find('ConfigMap', 'n', 'c')).toBeUndefined();
  });
});

describe('a call to the API', () => {
  const error = new ClusterError('TIMEOUT', 'x');

  test('may fail before it has an effect, or after', async () => {
    for (const when of ['before', 'after'] as const) {
      const cluster = await startedCluster();
      const api = cluster.connect({ fault: ({ verb }) => (verb === 'create' ? { error, when } : undefined) });
      await expect(api.create(CONFIG_MAP)).rejects.toBe(error);
      expect(cluster.find('ConfigMap', 'n', 'c') === undefined).toBe(when === 'before');
    }
  });

  test('is told to whoever decides about faults, in order', async () => {
    const seen: string[] = [];
    const cluster = await startedCluster();
    const { cluster: api } = cluster.login('cp1', {
      api: ({ number, verb, kind, name }) => {
        seen.push(`${number} ${verb} ${kind} ${name}`);
        return undefined;
      },
    });
    await api.create(CONFIG_MAP);
    await api.list({ kind: 'ConfigMap', labelSelector: 'a=b' });
    await api.isHealthy('livez');
    await api.delete(REFERENCE);
    expect(seen).toEqual(['0 create ConfigMap c', '1 list ConfigMap a=b', '2 health  /livez', '3 delete ConfigMap c']);
  });

  test('may be a watch that fails as it begins, or when it has told what happened', async () => {
    for (const when of ['before', 'after'] as const) {
      const seen: string[] = [];
      const cluster = await startedCluster();
      const api = cluster.connect({
        fault: ({ number, verb, kind, name }) => {
          seen.push(`${number} ${verb} ${kind} ${name}`);
          return verb === 'watch' ? { error, when } : undefined;
        },
      });
      const { resourceVersion } = await api.list({ kind: 'ConfigMap' });
      for (const name of ['c', 'd']) await api.create({ ...CONFIG_MAP, metadata: { ...CONFIG_MAP.metadata, name } });
      const told: unknown[] = [];
      const follow = async (from: string): Promise<void> => {
        for await (const event of api.watch({ kind: 'ConfigMap', labelSelector: '' }, { resourceVersion: from }))
          told.push('object' in event && event.object.metadata.name);
      };
      await expect(follow(resourceVersion)).rejects.toBe(error);
      expect(told).toEqual(when === 'before' ? [] : ['c', 'd']);
      // Nothing has happened: it breaks at once.
      await expect(follow(String(cluster.world.store.version))).rejects.toBe(error);
      expect(told).toHaveLength(when === 'before' ? 0 : 2);
      expect(seen.slice(-2)).toEqual(['3 watch ConfigMap ', '4 watch ConfigMap ']);
    }
  });

  test('that watches cannot go on from what is no version', async () => {
    const cluster = await startedCluster();
    for (const resourceVersion of ['', 'x', '-1', '1.5']) {
      const events = cluster.connect().watch({ kind: 'ConfigMap' }, { resourceVersion });
      await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'INVALID' });
    }
  });

  test('that watches is none where its signal has ended it before', async () => {
    const cluster = await startedCluster();
    const fault = (): never => {
      throw new Error('was asked');
    };
    const settings = { resourceVersion: '0', signal: AbortSignal.abort() };
    const events = cluster.connect({ fault }).watch({ kind: 'Pod' }, settings);
    expect(await events[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  });

  test('gives up after ten seconds on a server that says nothing', async () => {
    const cluster = await startedCluster({ timings: { serverAnswers: [15_000, 15_000] } });
    const node = cluster.node('cp1');
    node.kill(node.processes.find(({ program }) => program === 'kube-apiserver')!.pid);
    await until(cluster, () => node.listeners.some(({ port }) => port === 6443));
    const from = cluster.clock.now();
    await expect(cluster.connect().get(REFERENCE)).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(cluster.clock.now() - from).toBeGreaterThanOrEqual(10_000);
  });
});

test('a restart of the API server from its manifest is an outage, from the moment that it is told to end', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(1000);
  addFlags(node, 'kube-apiserver', '--v=2');
  await cluster.clock.sleep(120_000);
  const { clients, missing } = await traffic.stop();
  expect(missing).toBe(0);
  expect(clients[0]!.outages).toHaveLength(1);
  expect(clients[0]!.outages[0]!.seconds).toBeGreaterThan(10);
  expect(clients[0]!.outages[0]!.seconds).toBeLessThan(60);
});

describe('numbers that look random', () => {
  test('follow from the seed, and each part has its own', () => {
    const draw = (seed: number, name?: string): readonly number[] => {
      const random = name === undefined ? createRandom(seed) : createRandom(seed).fork(name);
      return [random.next(), random.next(), random.next()];
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1, 'a')).toEqual(draw(1, 'a'));
    expect(new Set([draw(1), draw(2), draw(1, 'a'), draw(1, 'b'), draw(2, 'a')].map(String)).size).toBe(5);
    const one = createRandom(1);
    one.next();
    expect(one.fork('a').next()).toBe(createRandom(1).fork('a').next());
  });

  test('are as unrelated for names that differ little as for any others', () => {
    // Draws of many parts, as columns: no bit of one says anything of the same bit of its neighbour.
    const names = Array.from({ length: 2000 }, (_, index) => `process cp1 ${1000 + index}`);
    for (const seed of [0, 1, 2]) {
      const firsts = names.map((name) => createRandom(seed).fork(name).next());
      const others = names.map((name) =>
        createRandom(seed + 1)
          .fork(name)
          .next(),
      );
      for (const [left, right] of [
        [firsts.slice(1), firsts.slice(0, -1)],
        [firsts, others],
        [firsts, names.map((name) => createRandom(seed).fork(name).fork(name).next())],
      ] as const) {
        const correlation =
          left.reduce((sum, value, index) => sum + (value - 0.5) * (right[index]! - 0.5), 0) / left.length;
        expect(Math.abs(correlation * 12)).toBeLessThan(0.1);
      }
      expect(new Set(firsts).size).toBe(names.length);
      expect(Math.abs(firsts.reduce((sum, value) => sum + value, 0) / names.length - 0.5)).toBeLessThan(0.02);
    }
    // Names that follow each other do not cancel each other out, nor does their order go unnoticed.
    const first = (...path: readonly string[]): number =>
      path.reduce((random, name) => random.fork(name), createRandom(1)).next();
    expect(new Set([first(), first('a'), first('a', 'a'), first('a', 'b'), first('b', 'a')]).size).toBe(5);
    // A seed and a name do not stand in for each other.
    const all = [1, 2, 3, 4].flatMap((seed) => names.map((name) => createRandom(seed).fork(name).next()));
    expect(new Set(all).size).toBeGreaterThan(all.length - 3);
  });

  test('are spread evenly', () => {
    const random = createRandom(7);
    const counts = [0, 0, 0, 0];
    for (let index = 0; index < 4000; index += 1) counts[random.pick([0, 1, 2, 3])]! += 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    for (let index = 0; index < 100; index += 1) {
      const value = random.between(5, 6);
      expect(value >= 5 && value < 6).toBe(true);
    }
    expect(random.letters(8)).toMatch(/^[a-z2-9]{8}$/);
  });
});
