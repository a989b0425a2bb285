import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClusterErrorCode } from '../../core/errors.ts';
import type { Cluster, DaemonSetObject, SecretObject } from '../api.ts';
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

/** A cluster that gives the same reply to everything, and remembers what it was asked. */
function answering(status: number, body: unknown = {}): { cluster: Cluster; requests: Request[] } {
  const requests: Request[] = [];
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const cluster = clusterOver(async (request): Promise<Reply> => {
    requests.push(request);
    return { status, text };
  });
  return { cluster, requests };
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

  test.each<[string, (cluster: Cluster) => Promise<unknown>, Request]>([
    ['getDaemonSet', (c) => c.getDaemonSet('kube-system', 'd'), { method: 'GET', path: `${apps}/d` }],
    ['createDaemonSet', (c) => c.createDaemonSet(DAEMON_SET), { method: 'POST', path: apps, body: DAEMON_SET }],
    ['updateDaemonSet', (c) => c.updateDaemonSet(DAEMON_SET), { method: 'PUT', path: `${apps}/d`, body: DAEMON_SET }],
    ['createSecret', (c) => c.createSecret(SECRET), { method: 'POST', path: `${core}/secrets`, body: SECRET }],
    ['updateSecret', (c) => c.updateSecret(SECRET), { method: 'PUT', path: `${core}/secrets/s`, body: SECRET }],
    ['getPod', (c) => c.getPod('kube-system', 'a/../b?'), { method: 'GET', path: `${core}/pods/a%2F..%2Fb%3F` }],
    ['isHealthy', (c) => c.isHealthy(), { method: 'GET', path: '/healthz' }],
  ])('of %s', async (_, call, expected) => {
    const { cluster, requests } = answering(200);
    await call(cluster);
    expect(requests).toEqual([expected]);
  });

  test('of listPods ask by label, and items get the kind that lists leave out', async () => {
    const { cluster, requests } = answering(200, {
      items: [{ metadata: { name: 'p' }, status: { phase: 'Running' } }],
    });
    expect(await cluster.listPods('kube-system', 'k8s-app=x,a=b')).toEqual([
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase: 'Running' } },
    ]);
    expect(requests[0]?.path).toBe(`${core}/pods?labelSelector=k8s-app%3Dx%2Ca%3Db`);
  });

  test('of listPods take null for an empty list, and nothing else', async () => {
    expect(await answering(200, { items: null }).cluster.listPods('n', 'a=b')).toEqual([]);
    await expect(answering(200, {}).cluster.listPods('n', 'a=b')).rejects.toMatchObject({ code: 'UNEXPECTED' });
  });

  test('need a name and a namespace for what they store', async () => {
    const { cluster, requests } = answering(200);
    const nameless = { ...DAEMON_SET, metadata: { namespace: 'n' } };
    await expect(cluster.createDaemonSet(nameless)).rejects.toMatchObject({ code: 'INVALID' });
    await expect(cluster.createDaemonSet({ ...DAEMON_SET, metadata: { name: 'n' } })).rejects.toMatchObject({
      code: 'INVALID',
    });
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
    expect(await failureOf(answering(status, body).cluster.createDaemonSet(DAEMON_SET))).toMatchObject({ code });
  });

  test('of status 409 to an update are a conflict', async () => {
    expect(await failureOf(answering(409, '').cluster.updateDaemonSet(DAEMON_SET))).toMatchObject({ code: 'CONFLICT' });
  });

  test('say what was done, and what the API server said', async () => {
    const { cluster } = answering(403, { message: 'user "x" cannot create\u001b[31m abcdef.0123456789abcdef' });
    expect(await failureOf(cluster.createDaemonSet(DAEMON_SET))).toHaveProperty(
      'message',
      String.raw`Could not create DaemonSet kube-system/d (HTTP 403): user "x" cannot create\u001b[31m [secret]`,
    );
  });

  test('about a Secret are never quoted, and never handed out', async () => {
    const { cluster } = answering(422, { message: 'invalid value: "hunter2"', details: { causes: ['hunter2'] } });
    const error = (await failureOf(cluster.createSecret(SECRET))) as Error;
    expect(error.message).toBe('Could not create Secret kube-system/s (HTTP 422)');
    expect(error.cause).toBeUndefined();
    expect(await answering(201, SECRET).cluster.createSecret(SECRET)).toBeUndefined();
  });

  test.each([
    [200, true],
    [500, false],
    [403, false],
    [404, false],
  ])('of status %i to a health check mean %s', async (status, healthy) => {
    expect(await answering(status, 'ok').cluster.isHealthy()).toBe(healthy);
  });
});

describe('a connection', () => {
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));

  function client(server: string, apply: (options: object) => Promise<void> = async () => {}): ClientModule {
    return {
      KubeConfig: class {
        loadFromFile(): void {}
        setCurrentContext(): void {}
        getContextObject(): null {
          return null;
        }
        getCurrentCluster(): { server: string } {
          return { server };
        }
        applyToHTTPSOptions(options: object): Promise<void> {
          return apply(options);
        }
      },
    };
  }

  async function serve(
    answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  ): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function connect(load: ClientModule, timeoutMilliseconds = 5000): Promise<Cluster> {
    return connectCluster({ kubeconfig: '/k', timeoutMilliseconds, load: async () => load });
  }

  test('sends what the kubeconfig adds, below the path of its server, and the object with every field', async () => {
    const seen: unknown[] = [];
    const server = await serve(({ method, url, headers }, response, body) => {
      seen.push(method, url, headers.authorization, headers['content-type'], JSON.parse(body));
      response.end(body);
    });
    const load = client(`${server}/k8s/clusters/c-1/`, async (options) => {
      const { headers } = options as { headers: Record<string, string> };
      headers['Authorization'] = 'Bearer t';
    });
    const stored = await (await connect(load)).createDaemonSet({ ...DAEMON_SET, spec: { name: 'é' } });
    expect(stored.spec).toEqual({ name: 'é' });
    const url = '/k8s/clusters/c-1/apis/apps/v1/namespaces/kube-system/daemonsets';
    expect(seen).toEqual(['POST', url, 'Bearer t', 'application/json', { ...DAEMON_SET, spec: { name: 'é' } }]);
  });

  test('that is refused says where', async () => {
    const cluster = await connect(client('http://127.0.0.1:1'));
    const error = await failureOf(cluster.isHealthy());
    expect(error).toMatchObject({ code: 'UNREACHABLE', cause: { code: 'ECONNREFUSED' } });
    expect(String(error)).toContain('127.0.0.1:1');
  });

  test('that breaks off in the middle of an answer has none', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    });
    expect(await failureOf((await connect(client(server))).getPod('n', 'p'))).toMatchObject({ code: 'UNREACHABLE' });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['no answer', () => {}],
    ['an answer without an end', (response) => response.writeHead(200).write('{')],
  ])('that gives %s times out', async (_, answer) => {
    const server = await serve((__, response) => answer(response));
    const error = await failureOf((await connect(client(server), 100)).getPod('n', 'p'));
    expect(error).toMatchObject({ code: 'TIMEOUT' });
    expect(String(error)).toContain('0.1 s');
  });

  test('times out while credentials are being fetched', async () => {
    const cluster = await connect(
      client('http://127.0.0.1:1', () => new Promise(() => {})),
      50,
    );
    expect(await failureOf(cluster.isHealthy())).toMatchObject({ code: 'TIMEOUT' });
  });

  test('without credentials says why, but for what looks like a secret', async () => {
    const load = client('http://127.0.0.1:1', () =>
      Promise.reject(new Error('plugin failed: abcdef.0123456789abcdef')),
    );
    const error = await failureOf((await connect(load)).isHealthy());
    expect(error).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(String(error)).toContain('plugin failed: [secret]');
  });
});
