import { describe, expect, test } from 'vitest';
import { killAll, manifestOn, startedCluster, until, writeManifest } from '../../../test/support/simulated.ts';
import type { APIServiceObject, Cluster, Condition, ConfigMapObject, ServiceAccountReference } from '../api.ts';
import { createSimulatedCluster, type SimulatedCluster } from './cluster.ts';
import { createMemoryCluster } from './memory.ts';
import { stockManifests } from './stock.ts';

const ACCOUNT = { namespace: 'kube-system', name: 'default' };
const USER = 'system:serviceaccount:kube-system:default';

function withToken(cluster: SimulatedCluster, token: string): Cluster {
  return cluster.login('cp1').host.connect(cluster.endpoint, { token });
}

function metrics(service: APIServiceObject['spec']['service'], status?: Condition['status']): APIServiceObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.k8s.io' },
    spec: { group: 'metrics.k8s.io', version: 'v1beta1', ...(service !== undefined && { service }) },
    ...(status && { status: { conditions: [{ type: 'Available', status }] } }),
  };
}

describe('the version of a simulated server', () => {
  test.each([
    ['v1.35.4', 'v1.35.4'],
    ['v1.37.0-rc.1', 'v1.37.0-rc.1'],
    ['v1.36.3@sha256:0123', 'v1.36.3'],
    ['latest', 'v0.0.0'],
  ])('of an image with the tag %s is %s', async (version, expected) => {
    const cluster = await startedCluster({ manifests: stockManifests({ address: '10.0.0.11', version }) });
    expect(await cluster.connect().version()).toBe(expected);
    expect(cluster.find('Node', undefined, 'w1')!.status!['nodeInfo']).toEqual({ kubeletVersion: expected });
  });
});

describe('who asks a simulated server', () => {
  test('is the user of the connection', async () => {
    const cluster = await startedCluster();
    expect(await cluster.connect().whoAmI()).toBe('kubernetes-admin');
    expect(await cluster.connect({ user: 'jane' }).whoAmI()).toBe('jane');
    expect(await cluster.login('cp1').host.connect(cluster.endpoint).whoAmI()).toBe('kubernetes-admin');
  });

  test('is the ServiceAccount of the token, for reviews, objects and watches', async () => {
    const cluster = await startedCluster();
    const token = await cluster.connect().requestToken(ACCOUNT, 600);
    const api = withToken(cluster, token);
    expect(await api.whoAmI()).toBe(USER);
    const { resourceVersion } = await api.list({ kind: 'ConfigMap' });
    const metadata = { name: 'a', namespace: 'default' };
    const object: ConfigMapObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } };
    const created = await api.create(object);
    expect(created.metadata['managedFields']).toMatchObject([{ manager: USER }]);
    for await (const event of api.watch({ kind: 'ConfigMap' }, { resourceVersion })) {
      expect(event.type).toBe('ADDED');
      break;
    }
  });
});

describe('a token of a simulated server', () => {
  const refused = { code: 'UNAUTHORIZED' };

  test('that nobody gave opens nothing, and no error quotes it', async () => {
    const cluster = await startedCluster();
    const api = withToken(cluster, 'hunter2');
    const asks = [() => api.whoAmI(), () => api.version(), () => api.isHealthy(), () => api.get(nodeOf('w1'))];
    for (const ask of asks) await expect(ask()).rejects.toMatchObject(refused);
    const watched = api.watch({ kind: 'Node' }, { resourceVersion: '0' })[Symbol.asyncIterator]();
    const error = (await watched.next().catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject(refused);
    expect(error.message).not.toContain('hunter2');
  });

  test('ends after its time', async () => {
    const cluster = await startedCluster();
    const api = withToken(cluster, await cluster.connect().requestToken(ACCOUNT, 600));
    await cluster.clock.sleep(599_000);
    expect(await api.whoAmI()).toBe(USER);
    await cluster.clock.sleep(1000);
    await expect(api.whoAmI()).rejects.toMatchObject(refused);
  });

  test('ends with its ServiceAccount, even where another one of that name comes', async () => {
    const cluster = await startedCluster();
    const admin = cluster.connect();
    const api = withToken(cluster, await admin.requestToken(ACCOUNT, 600));
    await admin.delete({ kind: 'ServiceAccount', ...ACCOUNT });
    await expect(api.whoAmI()).rejects.toMatchObject(refused);
    await admin.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT });
    await expect(api.whoAmI()).rejects.toMatchObject(refused);
  });

  test.each([
    ['other', 'UNAUTHORIZED'],
    ['https://kubernetes.default.svc.cluster.local', USER],
  ])('is known to a server with the issuers of the one that gave it (%s: %s)', async (issuer, expected) => {
    const cluster = await startedCluster();
    const token = await cluster.connect().requestToken(ACCOUNT, 3600);
    const node = cluster.node('cp1');
    const pod = manifestOn(node, 'kube-apiserver');
    const [container] = pod.spec.containers;
    const command = container!.command!.map((flag) =>
      flag.startsWith('--service-account-issuer=') ? `--service-account-issuer=${issuer}` : flag,
    );
    const older = node.processes.find(({ program }) => program === 'kube-apiserver')!.pid;
    writeManifest(node, 'kube-apiserver', { ...pod, spec: { ...pod.spec, containers: [{ ...container!, command }] } });
    if (issuer !== 'other') killAll(node, 'kube-apiserver');
    await until(cluster, () => node.processes.every(({ pid }) => pid !== older));
    await cluster.settle(120_000);
    const who = await withToken(cluster, token)
      .whoAmI()
      .catch((error: unknown) => (error as { code: string }).code);
    expect(who).toBe(expected);
  });

  test.each<[string, ServiceAccountReference, number, string]>([
    ['of nobody', { namespace: 'kube-system', name: 'nobody' }, 600, 'NOT_FOUND'],
    ['for less than ten minutes', ACCOUNT, 599, 'INVALID'],
  ])('%s is not given', async (_which, account, seconds, code) => {
    const cluster = await startedCluster();
    await expect(cluster.connect().requestToken(account, seconds)).rejects.toMatchObject({ code });
  });

  test('is the same for the same seed, and another one each time', async () => {
    const tokens = async (): Promise<readonly string[]> => {
      const api = (await startedCluster({ seed: 3 })).connect();
      return [await api.requestToken(ACCOUNT, 600), await api.requestToken(ACCOUNT, 600)];
    };
    const first = await tokens();
    expect(new Set(first).size).toBe(2);
    expect(await tokens()).toEqual(first);
  });
});

function nodeOf(name: string) {
  return { kind: 'Node', name } as const;
}

describe.each<[string, () => Promise<Cluster>]>([
  ['a simulated server', async () => (await startedCluster()).connect()],
  ['a server in memory', async () => createMemoryCluster()],
])('what %s has in a group', (_which, start) => {
  test('that it serves itself are the kinds that are known', async () => {
    const api = await start();
    expect(await api.discover('apps/v1')).toEqual(['daemonsets']);
    expect(await api.discover('v1')).toContain('serviceaccounts');
  });

  test('that nobody serves is not found', async () => {
    await expect((await start()).discover('metrics.k8s.io/v1beta1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test.each<[string, APIServiceObject]>([
    ['that is not available', metrics({ namespace: 'n', name: 'm' }, 'False')],
    ['of which nobody knows yet', metrics({ namespace: 'n', name: 'm' })],
  ])('behind a Service %s is unavailable', async (_how, object) => {
    const api = await start();
    await api.create(object);
    await expect(api.discover('metrics.k8s.io/v1beta1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test.each<[string, APIServiceObject]>([
    ['behind a Service that is available', metrics({ namespace: 'n', name: 'm' }, 'True')],
    ['of its own', metrics(null)],
  ])('%s has one name', async (_how, object) => {
    const api = await start();
    await api.create(object);
    expect(await api.discover('metrics.k8s.io/v1beta1')).toEqual(['metrics']);
  });

  test('that is no group is refused', async () => {
    await expect((await start()).discover('../v1')).rejects.toMatchObject({ code: 'INVALID' });
  });
});

test('a server in memory gives tokens of the ServiceAccounts that it has', async () => {
  const memory = createMemoryCluster();
  await expect(memory.requestToken(ACCOUNT, 600)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  memory.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT });
  expect(await memory.requestToken(ACCOUNT, 600)).not.toBe(await memory.requestToken(ACCOUNT, 600));
  expect([await memory.version(), await memory.whoAmI()]).toEqual(['v0.0.0', 'kubernetes-admin']);
});

test('a fault meets each question by what it asks for', async () => {
  const calls: string[] = [];
  const cluster = createSimulatedCluster();
  await cluster.start();
  const api = cluster.connect({
    fault: ({ verb, kind, name }) => {
      calls.push(`${verb} ${kind} ${name}`);
      return { error: new Error('cut'), when: 'before' };
    },
  });
  const asks = [api.version(), api.whoAmI(), api.requestToken(ACCOUNT, 600), api.discover('apps/v1')];
  for (const result of await Promise.allSettled(asks)) expect(result).toMatchObject({ reason: { message: 'cut' } });
  expect(calls).toEqual([
    'get  /version',
    'create SelfSubjectReview ',
    'create TokenRequest default',
    'get  /apis/apps/v1',
  ]);
});
