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

  test.each([
    ['10.0.0.1', ['10.0.0.12', '110.0.0.1', '10.0.0.1.5', '10.0.0.10:2379']],
    ['fd00::1', ['fd00::12', 'afd00::1', '[fd00::1:2]:2379', '2001:fd00::1']],
  ])('have %s replaced where it is a whole address, and nowhere else', (address, longer) => {
    const stock = stockManifests({ address });
    const manifests = { ...stock, other: ['#', address, ...longer, address].join(' ') };
    const { nodes } = createSimulatedCluster({ manifests, controlPlanes: 2 });
    const [first, second] = nodes.map(
      ({ disk }) =>
        (name: string) =>
          disk.read(`${MANIFESTS_DIRECTORY}/${name}`)!,
    );
    const own = nodes[1]!.address;
    expect(second!('other')).toBe(['#', own, ...longer, own].join(' '));
    expect(first!('other')).toBe(manifests.other);
    const etcd = second!('etcd.yaml');
    expect(etcd).toContain(`--listen-client-urls=https://127.0.0.1:2379,https://`);
    expect(etcd).toContain(own);
    expect(etcd).not.toContain(`${address}:`);
  });

  test.each(['10.0.0.2', '10.0.0.11', '10.0.0.12', '10.254.0.2', '10.254.0.12', '10.0.0.1', 'fd00::2'])(
    'at %s collide with no machine and no load balancer',
    (address) => {
      for (const range of ['10.96.0.0/12', '10.0.0.0/24', '10.254.0.1/24', '10.254.0.11/24']) {
        const manifests = Object.fromEntries(
          Object.entries(stockManifests({ address })).map(([name, text]) => [
            name,
            text.replace('10.96.0.0/12', range),
          ]),
        );
        const { nodes, endpoint, service } = createSimulatedCluster({ manifests, controlPlanes: 9, workers: 30 });
        const all = [...nodes.map((node) => node.address), endpoint.address];
        expect(new Set(all).size, range).toBe(40);
        expect(nodes[0]!.address).toBe(address);
        // The Service is at the advertised address only where the manifests say so.
        if (service.address !== address) expect(all, range).not.toContain(service.address);
      }
    },
  );

  test('are read for the API server in its own file, whatever else has a container of that name', () => {
    const other = JSON.stringify({
      kind: 'Pod',
      spec: { containers: [{ name: 'kube-apiserver', command: ['x', '--advertise-address=1.2.3.4'] }] },
    });
    const cluster = createSimulatedCluster({ manifests: { 'a.yaml': other, ...STOCK } });
    expect(cluster.endpoint.address).toBe('192.168.7.5');
    expect(createSimulatedCluster({ manifests: { 'a.yaml': other } }).endpoint.address).toBe('10.0.0.11');
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

describe('a number of nodes', () => {
  test.each([
    [{ controlPlanes: 0 }, 'controlPlanes', 'from 1 to 9'],
    [{ controlPlanes: -1 }, 'controlPlanes', 'from 1 to 9'],
    [{ controlPlanes: 1.5 }, 'controlPlanes', 'from 1 to 9'],
    [{ controlPlanes: 10 }, 'controlPlanes', 'from 1 to 9'],
    [{ controlPlanes: Number.NaN }, 'controlPlanes', 'from 1 to 9'],
    [{ workers: -1 }, 'workers', 'from 0 to 30'],
    [{ workers: 0.5 }, 'workers', 'from 0 to 30'],
    [{ workers: 31 }, 'workers', 'from 0 to 30'],
  ])('that makes no sense is refused: %j', (settings, name, range) => {
    expect(() => createSimulatedCluster(settings)).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        hint: expect.stringMatching(new RegExp(`${name}.*${range}`)) as string,
      }) as Error,
    );
  });

  test('may be the least and the most', () => {
    expect(createSimulatedCluster({ workers: 0 }).nodes).toHaveLength(1);
    expect(createSimulatedCluster({ controlPlanes: 9, workers: 30 }).nodes).toHaveLength(39);
  });
});

test('a control plane that cannot come up is an error that says what is missing', async () => {
  const cluster = createSimulatedCluster();
  cluster.failStarts(({ program }) => (program === 'kube-scheduler' ? 'broken' : undefined));
  await expect(cluster.start()).rejects.toMatchObject({
    code: 'SIMULATION_STALLED',
    message: expect.stringContaining('Pod kube-scheduler-cp1 is not ready') as string,
  });
});
