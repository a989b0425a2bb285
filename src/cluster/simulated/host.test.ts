import { describe, expect, test } from 'vitest';
import { killAll, startedCluster, until } from '../../../test/support/simulated.ts';
import type { EtcdAccess, HostFiles } from '../host.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { HostAction } from './host.ts';
import { stockManifests } from './stock.ts';
import { EPOCH } from './world.ts';

const ACCESS: EtcdAccess = { endpoints: ['https://127.0.0.1:2379'] };
const PATH = '/var/lib/bootlace/etcd.db';

/** Takes members of etcd away for good. */
async function withoutEtcd(cluster: SimulatedCluster, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const node = cluster.node(name);
    node.disk.remove('/etc/kubernetes/manifests/etcd.yaml');
    killAll(node, 'etcd');
    await until(cluster, () => node.listeners.every(({ port }) => port !== 2379));
  }
}

async function textOf(files: HostFiles, path: string): Promise<string> {
  return Buffer.from(await files.read(path)).toString();
}

describe('the facts of a node', () => {
  test('are by default those of one that lacks nothing', async () => {
    const cluster = await startedCluster();
    const facts = await cluster.login('cp1').host.facts();
    expect(facts).toMatchObject({
      now: EPOCH + cluster.clock.now(),
      memoryAvailableBytes: 4 * 2 ** 30,
      diskFreeBytes: 20 * 2 ** 30,
      ephemeralPorts: { from: 32_768, to: 60_999 },
      programs: [],
    });
    expect(facts.certificates.every(({ notAfter }) => notAfter > facts.now + 360 * 24 * 3_600_000)).toBe(true);
    const paths = facts.certificates.map(({ path }) => path);
    expect(paths).toEqual(paths.toSorted());
    expect(paths).toContain('/etc/kubernetes/pki/apiserver.crt');
    expect((await cluster.login('w1').host.facts()).certificates).toEqual([]);
  });

  test('are what somebody makes of them, each for itself, and outlast a power cut', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    node.setFacts({ diskFreeBytes: 5 });
    node.setFacts({ programs: ['kubeadm'] });
    node.cutPower();
    node.boot();
    const facts = { diskFreeBytes: 5, programs: ['kubeadm'], memoryAvailableBytes: 4 * 2 ** 30 };
    expect(await cluster.login('cp1').host.facts()).toMatchObject(facts);
    expect(await cluster.login('w1').host.facts()).toMatchObject({ programs: [] });
  });
});

describe('members of etcd', () => {
  test('are one on each control plane, healthy while it listens', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const { host } = cluster.login('cp1');
    const members = ['cp1', 'cp2', 'cp3'].map((name) => ({ name, isHealthy: true }));
    expect(await host.etcdMembers(ACCESS)).toEqual(members);
    await withoutEtcd(cluster, 'cp2');
    expect(await host.etcdMembers(ACCESS)).toEqual(members.with(1, { name: 'cp2', isHealthy: false }));
    await withoutEtcd(cluster, 'cp1', 'cp3');
    await expect(host.etcdMembers(ACCESS)).rejects.toThrow('no endpoint answers');
  });

  test('are the endpoints where etcd is elsewhere', async () => {
    const { 'etcd.yaml': _etcd, ...manifests } = stockManifests({ address: '10.0.0.11' });
    const { host } = (await startedCluster({ manifests })).login('cp1');
    expect(await host.etcdMembers({ endpoints: ['https://b:2379', 'https://a:2379'] })).toEqual([
      { name: 'https://a:2379', isHealthy: true },
      { name: 'https://b:2379', isHealthy: true },
    ]);
  });
});

describe('a snapshot of etcd', () => {
  test('is a file of the node that says how much there is, and nothing of what', async () => {
    const cluster = await startedCluster();
    await cluster.connect().create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'secret-name', namespace: 'default' },
      data: { key: 'aHVudGVyMg==' },
    });
    const { host } = cluster.login('cp1');
    const { bytes } = await host.saveEtcd(ACCESS, PATH);
    const text = await textOf(host.files, PATH);
    expect(bytes).toBe(text.length);
    expect(text).toMatch(/^A snapshot of etcd at revision \d+ with \d+ objects\.\n$/);
    expect(text).toContain(`with ${cluster.world.store.count} objects`);
  });

  test('is not there where most members are away, nor is a part of it', async () => {
    const cluster = await startedCluster({ controlPlanes: 3 });
    const { host } = cluster.login('cp1');
    await withoutEtcd(cluster, 'cp2');
    await host.saveEtcd(ACCESS, PATH);
    await withoutEtcd(cluster, 'cp3');
    await expect(host.saveEtcd(ACCESS, `${PATH}.2`)).rejects.toThrow('no leader');
    await expect(host.files.stat(`${PATH}.2`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('faults meet what a program asks of its node, by what that is', async () => {
  const actions: HostAction[] = [];
  const { host } = (await startedCluster()).login('cp1', {
    host: (action) => {
      actions.push(action);
      return new Error('no');
    },
  });
  const asked = [host.facts(), host.etcdMembers(ACCESS), host.saveEtcd(ACCESS, PATH)];
  for (const result of await Promise.allSettled(asked)) expect(result).toMatchObject({ reason: { message: 'no' } });
  expect(actions).toEqual([
    { verb: 'look', subject: 'facts' },
    { verb: 'look', subject: 'etcd' },
    { verb: 'save', subject: PATH },
  ]);
});
