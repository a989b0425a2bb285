import { describe, expect, test } from 'vitest';
import { editContainer, startedCluster } from '../../../test/support/simulated.ts';
import { createSimulatedCluster } from './cluster.ts';
import { MANIFESTS_DIRECTORY } from './kubelet/manifests.ts';
import { stockManifests } from './stock.ts';

const STOCK = stockManifests({ address: '192.168.7.5' });

describe('manifests of a user', () => {
  test('say where the first control plane is, and the others get addresses of their own', async () => {
    const cluster = await startedCluster({ manifests: STOCK, controlPlanes: 2 });
    expect(cluster.nodes.map(({ name, address }) => [name, address])).toEqual([
      ['cp1', '192.168.7.5'],
      ['cp2', '10.0.0.12'],
      ['w1', '10.0.0.21'],
    ]);
    expect(cluster.node('cp2').disk.read(`${MANIFESTS_DIRECTORY}/kube-apiserver.yaml`)).not.toContain('192.168.7.5');
  });

  test('never share an address with a machine that is made up', () => {
    const { nodes } = createSimulatedCluster({ manifests: stockManifests({ address: '10.0.0.21' }), controlPlanes: 3 });
    expect(new Set(nodes.map(({ address }) => address)).size).toBe(nodes.length);
  });

  test('say on which port API servers serve, and where the Service of the API is', async () => {
    const manifests = Object.fromEntries(
      Object.entries(STOCK).map(([name, text]) => [
        name,
        text.replaceAll('6443', '7443').replace('10.96.0.0/12', '172.20.0.0/16'),
      ]),
    );
    const cluster = await startedCluster({ manifests });
    expect(cluster.endpoint).toEqual({ address: '192.168.7.5', port: 7443 });
    expect(cluster.service).toEqual({ address: '172.20.0.1', port: 443 });
    const inside = cluster.connect({ from: 'w1', endpoint: cluster.service });
    expect(await inside.isHealthy('readyz')).toBe(true);
  });

  test('without etcd mean that it is elsewhere', async () => {
    const { 'etcd.yaml': _etcd, ...manifests } = STOCK;
    const cluster = await startedCluster({ manifests });
    expect(cluster.node('cp1').processes.map(({ program }) => program)).not.toContain('etcd');
    expect(await cluster.connect().isHealthy()).toBe(true);
  });

  test('that ask for more than a machine has get a larger one', async () => {
    const manifests = Object.fromEntries(
      Object.entries(STOCK).map(([name, text]) => [name, text.replace('"cpu": "250m"', '"cpu": "9"')]),
    );
    const cluster = await startedCluster({ manifests });
    expect(cluster.node('cp1').pods.every(({ isReady }) => isReady)).toBe(true);
  });
});

test('etcd listens for metrics where it is told to, so that its probes are answered', async () => {
  const cluster = await startedCluster();
  const node = cluster.node('cp1');
  editContainer(node, 'etcd', (container) => ({
    ...container,
    command: [...container.command!, '--listen-metrics-urls=http://127.0.0.1:2381'],
    livenessProbe: { httpGet: { host: '127.0.0.1', port: 2381, path: '/livez' } },
  }));
  await cluster.clock.sleep(30_000);
  expect(await cluster.settle(120_000)).toBe(true);
  expect(node.listeners.map(({ port }) => port)).toContain(2381);
});

test('a control plane that cannot come up is an error that says what is missing', async () => {
  const cluster = createSimulatedCluster();
  cluster.failStarts(({ program }) => (program === 'kube-scheduler' ? 'broken' : undefined));
  await expect(cluster.start()).rejects.toMatchObject({
    code: 'SIMULATION_STALLED',
    message: expect.stringContaining('Pod kube-scheduler-cp1 is not ready') as string,
  });
});
