import { expect, test } from 'vitest';
import { killAll, manifestPath, startedCluster, until } from '../../../test/support/simulated.ts';
import type { EndpointSliceObject } from '../api.ts';
import type { SimulatedCluster } from './cluster.ts';
import { keyOf } from './network.ts';

const PARKED = manifestPath('kube-apiserver');

function slice(name: string, address: string, more: object = {}): EndpointSliceObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    ...more,
  };
}

/** What kube-proxy of a machine has written for the API. */
function known({ world, service }: SimulatedCluster, node: string): readonly string[] {
  const endpoints = world.machines.find(({ name }) => name === node)!.services.get(keyOf(service)) ?? [];
  return endpoints.map(({ address, port }) => `${address}:${port}`);
}

test('kube-proxy writes what several slices of one Service say, each endpoint once', async () => {
  const cluster = await startedCluster();
  const admin = cluster.connect();
  expect(known(cluster, 'w1')).toEqual(['10.0.0.11:6443']);
  await admin.create(slice('same', '10.0.0.11'));
  await admin.create(slice('other', '10.0.0.77'));
  const elsewhere = slice('elsewhere', '10.0.0.78');
  await admin.create({ ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'kube-system' } });
  await admin.create(
    slice('unready', '10.0.0.79', { endpoints: [{ addresses: ['10.0.0.79'], conditions: { ready: false } }] }),
  );
  await admin.create(slice('unnamed', '10.0.0.80', { ports: [{ name: 'http', port: 80 }] }));
  await cluster.clock.sleep(3000);
  for (const node of ['cp1', 'w1']) expect(known(cluster, node)).toEqual(['10.0.0.11:6443', '10.0.0.77:6443']);
  await admin.delete({ kind: 'EndpointSlice', namespace: 'default', name: 'same' });
  await cluster.clock.sleep(3000);
  expect(known(cluster, 'w1')).toEqual(['10.0.0.11:6443', '10.0.0.77:6443']);
});

test('kube-proxy lags behind', async () => {
  const cluster = await startedCluster({ timings: { proxy: [700, 700] } });
  await cluster.connect().create(slice('other', '10.0.0.77'));
  await cluster.clock.sleep(500);
  expect(known(cluster, 'w1')).toHaveLength(1);
  await cluster.clock.sleep(500);
  expect(known(cluster, 'w1')).toHaveLength(2);
});

test('kube-proxy keeps what it knows while the API is away, and catches up afterwards', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  const text = node.disk.read(PARKED)!;
  node.disk.remove(PARKED);
  killAll(node, 'kube-apiserver');
  cluster.world.store.put(slice('other', '10.0.0.77'));
  await cluster.clock.sleep(60_000);
  expect(known(cluster, 'w1')).toEqual(['10.0.0.11:6443']);
  node.disk.write(PARKED, text);
  await until(cluster, () => known(cluster, 'w1').length === 2);
});

test('kube-proxy knows nothing after a power cut until it has heard the API', async () => {
  const cluster = await startedCluster();
  cluster.node('w1').cutPower();
  expect(known(cluster, 'w1')).toEqual([]);
  cluster.node('w1').boot();
  await until(cluster, () => known(cluster, 'w1').length === 1);
});
