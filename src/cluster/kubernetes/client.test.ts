import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { clientFor, serve } from '../../../test/support/local-api.ts';
import type { ClusterErrorCode } from '../../core/errors.ts';
import type { Cluster, DaemonSetObject, EventObject, NodeObject, SecretObject, Selection } from '../api.ts';
import { clusterOver, connectCluster } from './client.ts';
import type { ClientModule } from './load.ts';
import type { Reply, Request } from './request.ts';

const DAEMON_SET: DaemonSetObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'd', namespace: 'kube-system' },
  spec: { newInKubernetes: [null, 1] },
};
const SECRET: SecretObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'kube-system' },
  data: { key: 'aHVudGVyMg==' },
};

const POD = { kind: 'Pod', namespace: 'n', name: 'p' } as const;

/** A cluster that gives the same reply to everything, and remembers what it was asked. */
function answering(status: number, body: unknown = {}): { cluster: Cluster; requests: Request[] } {
  const requests: Request[] = [];
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const send = async (request: Request): Promise<Reply> => {
    requests.push(request);
    return { status, text };
  };
  return { cluster: clusterOver({ send, open: send }), requests };
}

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('requests', () => {
  const apps = '/apis/apps/v1/namespaces/kube-system/daemonsets';
  const core = '/api/v1/namespaces/kube-system';

  const options = { fieldManager: 'me & you', dryRun: true };
  const asked = 'fieldManager=me%20%26%20you';
  const node: NodeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w' } };
  const event: EventObject = { apiVersion: 'v1', kind: 'Event', metadata: { generateName: 'e-', namespace: 'n' } };
  const background = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
  const contentType = 'application/apply-patch+yaml';

  test.each<[string, (cluster: Cluster) => Promise<unknown>, Request]>([
    [
      'get',
      (c) => c.get({ kind: 'DaemonSet', namespace: 'kube-system', name: 'd' }),
      { method: 'GET', path: `${apps}/d` },
    ],
    [
      'get with a strange name',
      (c) => c.get({ kind: 'Pod', namespace: 'kube-system', name: 'a/../b?' }),
      { method: 'GET', path: `${core}/pods/a%2F..%2Fb%3F` },
    ],
    ['get without a namespace', (c) => c.get({ kind: 'Node', name: 'w' }), { method: 'GET', path: '/api/v1/nodes/w' }],
    ['create', (c) => c.create(SECRET), { method: 'POST', path: `${core}/secrets`, body: SECRET }],
    ['create without a namespace', (c) => c.create(node), { method: 'POST', path: '/api/v1/nodes', body: node }],
    [
      'create with a name that the server completes',
      (c) => c.create(event),
      { method: 'POST', path: '/api/v1/namespaces/n/events', body: event },
    ],
    [
      'create with options',
      (c) => c.create(DAEMON_SET, options),
      { method: 'POST', path: `${apps}?${asked}&dryRun=All`, body: DAEMON_SET },
    ],
    ['update', (c) => c.update(DAEMON_SET), { method: 'PUT', path: `${apps}/d`, body: DAEMON_SET }],
    [
      'update with options',
      (c) => c.update(SECRET, options),
      { method: 'PUT', path: `${core}/secrets/s?${asked}&dryRun=All`, body: SECRET },
    ],
    [
      'apply',
      (c) => c.apply(DAEMON_SET, { fieldManager: 'm' }),
      { method: 'PATCH', path: `${apps}/d?fieldManager=m`, body: DAEMON_SET, contentType },
    ],
    [
      'apply by force',
      (c) => c.apply(DAEMON_SET, { ...options, force: true }),
      { method: 'PATCH', path: `${apps}/d?${asked}&force=true&dryRun=All`, body: DAEMON_SET, contentType },
    ],
    ['delete', (c) => c.delete(POD), { method: 'DELETE', path: '/api/v1/namespaces/n/pods/p', body: background }],
    [
      'delete with options',
      (c) =>
        c.delete(POD, {
          dryRun: true,
          propagation: 'Orphan',
          gracePeriodSeconds: 0,
          preconditions: { uid: 'u', resourceVersion: '1' },
        }),
      {
        method: 'DELETE',
        path: '/api/v1/namespaces/n/pods/p',
        body: {
          ...background,
          propagationPolicy: 'Orphan',
          gracePeriodSeconds: 0,
          preconditions: { uid: 'u', resourceVersion: '1' },
          dryRun: ['All'],
        },
      },
    ],
    ['isHealthy', (c) => c.isHealthy(), { method: 'GET', path: '/healthz' }],
    ['isHealthy with another check', (c) => c.isHealthy('readyz'), { method: 'GET', path: '/readyz' }],
  ])('of %s', async (_, call, expected) => {
    const { cluster, requests } = answering(200);
    await call(cluster);
    expect(requests).toStrictEqual([expected]);
  });

  test.each<[Selection, string]>([
    [{ kind: 'ConfigMap', namespace: 'n' }, '/api/v1/namespaces/n/configmaps'],
    [{ kind: 'ConfigMap' }, '/api/v1/configmaps'],
    [{ kind: 'DaemonSet', namespace: 'n' }, '/apis/apps/v1/namespaces/n/daemonsets'],
    [{ kind: 'EndpointSlice', namespace: 'n' }, '/apis/discovery.k8s.io/v1/namespaces/n/endpointslices'],
    [{ kind: 'Event', namespace: 'n' }, '/api/v1/namespaces/n/events'],
    [{ kind: 'Lease', namespace: 'n' }, '/apis/coordination.k8s.io/v1/namespaces/n/leases'],
    [{ kind: 'Namespace' }, '/api/v1/namespaces'],
    [{ kind: 'Node', labelSelector: 'a=b' }, '/api/v1/nodes?labelSelector=a%3Db'],
    [{ kind: 'Pod', labelSelector: 'k8s-app=x,a=b' }, '/api/v1/pods?labelSelector=k8s-app%3Dx%2Ca%3Db'],
    [{ kind: 'Secret', namespace: 'n' }, '/api/v1/namespaces/n/secrets'],
    [{ kind: 'Service', namespace: 'n' }, '/api/v1/namespaces/n/services'],
  ])('of list for %j', async (selection, path) => {
    const { cluster, requests } = answering(200, { metadata: { resourceVersion: '5' }, items: [] });
    await cluster.list(selection);
    expect(requests).toStrictEqual([{ method: 'GET', path }]);
  });

  test.each<[string, (cluster: Cluster) => Promise<unknown>]>([
    ['no namespace', (c) => c.get({ kind: 'Pod', name: 'p' })],
    ['an empty namespace', (c) => c.get({ kind: 'Pod', namespace: '', name: 'p' })],
    ['a namespace that leads elsewhere', (c) => c.list({ kind: 'Pod', namespace: '..' })],
    ['a namespace for a kind that has none', (c) => c.get({ kind: 'Node', namespace: 'n', name: 'w' })],
    ['no name to create', (c) => c.create({ ...DAEMON_SET, metadata: { namespace: 'n' } })],
    ['no namespace to create', (c) => c.create({ ...DAEMON_SET, metadata: { name: 'd' } })],
    ['no name to apply', (c) => c.apply(event, { fieldManager: 'm' })],
    ['an empty name, which means all objects', (c) => c.delete({ ...POD, name: '' })],
    ['a name that means the namespace', (c) => c.delete({ ...POD, name: '..' })],
    ['a name that means all objects', (c) => c.delete({ ...POD, name: '.' })],
  ])('with %s are not sent', async (_, call) => {
    const { cluster, requests } = answering(200);
    expect(await failureOf(call(cluster))).toMatchObject({ code: 'INVALID' });
    expect(requests).toEqual([]);
  });
});

describe('answers', () => {
  test.each<[number, unknown, ClusterErrorCode]>([
    [400, {}, 'INVALID'],
    [401, {}, 'UNAUTHORIZED'],
    [403, {}, 'FORBIDDEN'],
    [404, {}, 'NOT_FOUND'],
    [409, { reason: 'AlreadyExists' }, 'ALREADY_EXISTS'],
    [409, { reason: 'Conflict' }, 'CONFLICT'],
    [409, 'no JSON', 'ALREADY_EXISTS'],
    [410, {}, 'GONE'],
    [422, {}, 'INVALID'],
    [429, {}, 'TOO_MANY_REQUESTS'],
    [500, '<html>', 'UNAVAILABLE'],
    [503, {}, 'UNAVAILABLE'],
    [504, {}, 'TIMEOUT'],
    [302, {}, 'UNEXPECTED'],
    [200, 'no JSON', 'UNEXPECTED'],
    [200, '[]', 'UNEXPECTED'],
    [0, '', 'UNEXPECTED'],
  ])('of status %i with %j to a create are %s', async (status, body, code) => {
    expect(await failureOf(answering(status, body).cluster.create(DAEMON_SET))).toMatchObject({ code });
  });

  test.each<[string, (cluster: Cluster) => Promise<unknown>]>([
    ['an update', (c) => c.update(DAEMON_SET)],
    ['an apply', (c) => c.apply(DAEMON_SET, { fieldManager: 'm' })],
    ['a deletion', (c) => c.delete(POD, { preconditions: { uid: 'u' } })],
  ])('of status 409 to %s are a conflict', async (_, call) => {
    expect(await failureOf(call(answering(409, '').cluster))).toMatchObject({ code: 'CONFLICT' });
  });

  test('to a list give its version, and its items the kind that lists leave out', async () => {
    const { cluster } = answering(200, {
      metadata: { resourceVersion: '7' },
      items: [{ metadata: { name: 'd' }, spec: {}, newInKubernetes: 1 }],
    });
    expect(await cluster.list({ kind: 'DaemonSet' })).toEqual({
      resourceVersion: '7',
      items: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd' }, spec: {}, newInKubernetes: 1 }],
    });
  });

  test('to a list may hold null for no items, and nothing else', async () => {
    const metadata = { resourceVersion: '7' };
    expect(await answering(200, { metadata, items: null }).cluster.list({ kind: 'Pod' })).toMatchObject({ items: [] });
    for (const answer of [{ metadata }, { items: [] }, { metadata: {}, items: [] }, { metadata, items: [1] }])
      await expect(answering(200, answer).cluster.list({ kind: 'Pod' })).rejects.toMatchObject({ code: 'UNEXPECTED' });
  });

  test('say what was done, and what the API server said', async () => {
    const { cluster } = answering(403, { message: 'user "x" cannot create\u001b[31m abcdef.0123456789abcdef' });
    expect(await failureOf(cluster.create(DAEMON_SET))).toHaveProperty(
      'message',
      String.raw`Could not create DaemonSet kube-system/d (HTTP 403): user "x" cannot create\u001b[31m [secret]`,
    );
  });

  test.each<[string, (cluster: Cluster) => Promise<unknown>]>([
    ['get Secret n/s', (c) => c.get({ kind: 'Secret', namespace: 'n', name: 's' })],
    ['list Secret n/a=b', (c) => c.list({ kind: 'Secret', namespace: 'n', labelSelector: 'a=b' })],
    ['list Secret', (c) => c.list({ kind: 'Secret' })],
    ['create Secret kube-system/s', (c) => c.create(SECRET)],
    ['update Secret kube-system/s', (c) => c.update(SECRET)],
    ['apply Secret kube-system/s', (c) => c.apply(SECRET, { fieldManager: 'm' })],
    ['delete Secret n/s', (c) => c.delete({ kind: 'Secret', namespace: 'n', name: 's' })],
  ])('about a Secret are never quoted: %s', async (action, call) => {
    const { cluster } = answering(422, { message: 'invalid value: "hunter2"', details: { causes: ['hunter2'] } });
    const error = (await failureOf(call(cluster))) as Error;
    expect(error.message).toBe(`Could not ${action} (HTTP 422)`);
    expect(error.cause).toBeUndefined();
  });

  test.each([
    [200, true],
    [500, false],
    [403, false],
    [404, false],
  ])('of status %i to a health check mean %s', async (status, healthy) => {
    expect(await answering(status, 'ok').cluster.isHealthy()).toBe(healthy);
  });

  test('with metrics say when the process was started that answers', async () => {
    const metrics = '# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1.76460012e+09\nother 1\n';
    const { cluster, requests } = answering(200, metrics);
    expect(await cluster.startedAt()).toBe(1_764_600_120_000);
    expect(requests).toEqual([{ method: 'GET', path: '/metrics' }]);
  });

  test.each([
    [200, 'other 1\n', 'UNEXPECTED'],
    [200, 'process_start_time_seconds soon\n', 'UNEXPECTED'],
    [403, { message: 'no' }, 'FORBIDDEN'],
    [503, 'stopping', 'UNAVAILABLE'],
  ])('of status %i with %j are no metrics: %s', async (status, body, code) => {
    await expect(answering(status, body).cluster.startedAt()).rejects.toMatchObject({ code });
  });
});

describe('a connection', () => {
  function connect(load: ClientModule, timeoutMilliseconds = 5000): Promise<Cluster> {
    return connectCluster({ kubeconfig: '/k', timeoutMilliseconds, load: async () => load });
  }

  test('sends what the kubeconfig adds, below the path of its server, and the object with every field', async () => {
    const seen: unknown[] = [];
    const server = await serve(({ method, url, headers }, response, body) => {
      seen.push(method, url, headers.authorization, headers['content-type'], JSON.parse(body));
      response.end(body);
    });
    const load = clientFor(`${server}/k8s/clusters/c-1/`, async (options) => {
      const { headers } = options as { headers: Record<string, string> };
      headers['Authorization'] = 'Bearer t';
    });
    const stored = await (await connect(load)).create({ ...DAEMON_SET, spec: { name: 'é' } });
    expect(stored.spec).toEqual({ name: 'é' });
    const url = '/k8s/clusters/c-1/apis/apps/v1/namespaces/kube-system/daemonsets';
    expect(seen).toEqual(['POST', url, 'Bearer t', 'application/json', { ...DAEMON_SET, spec: { name: 'é' } }]);
  });

  test('sends an apply with the type that means one', async () => {
    const seen: unknown[] = [];
    const server = await serve(({ method, headers }, response, body) => {
      seen.push(method, headers['content-type'], JSON.parse(body));
      response.end(body);
    });
    await (await connect(clientFor(server))).apply(DAEMON_SET, { fieldManager: 'm' });
    expect(seen).toEqual(['PATCH', 'application/apply-patch+yaml', DAEMON_SET]);
  });

  test('sends what a deletion asks for', async () => {
    const seen: unknown[] = [];
    const server = await serve(({ method, headers }, response, body) => {
      seen.push(method, headers['content-type'], JSON.parse(body));
      response.end('{}');
    });
    await (await connect(clientFor(server))).delete(POD, { propagation: 'Foreground' });
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' };
    expect(seen).toEqual(['DELETE', 'application/json', options]);
  });

  test('that is refused says where', async () => {
    const cluster = await connect(clientFor('http://127.0.0.1:1'));
    const error = await failureOf(cluster.isHealthy());
    expect(error).toMatchObject({ code: 'UNREACHABLE', cause: { code: 'ECONNREFUSED' } });
    expect(String(error)).toContain('127.0.0.1:1');
  });

  test('that breaks off in the middle of an answer has none', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    });
    expect(await failureOf((await connect(clientFor(server))).get(POD))).toMatchObject({ code: 'UNREACHABLE' });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['no answer', () => {}],
    ['an answer without an end', (response) => response.writeHead(200).write('{')],
  ])('that gives %s times out', async (_, answer) => {
    const server = await serve((__, response) => answer(response));
    const error = await failureOf((await connect(clientFor(server), 100)).get(POD));
    expect(error).toMatchObject({ code: 'TIMEOUT' });
    expect(String(error)).toContain('0.1 s');
  });

  test('times out while credentials are being fetched', async () => {
    const cluster = await connect(
      clientFor('http://127.0.0.1:1', () => new Promise(() => {})),
      50,
    );
    expect(await failureOf(cluster.isHealthy())).toMatchObject({ code: 'TIMEOUT' });
  });

  test('without credentials says why, but for what looks like a secret', async () => {
    const load = clientFor('http://127.0.0.1:1', () =>
      Promise.reject(new Error('plugin failed: abcdef.0123456789abcdef')),
    );
    const error = await failureOf((await connect(load)).isHealthy());
    expect(error).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(String(error)).toContain('plugin failed: [secret]');
  });
});
