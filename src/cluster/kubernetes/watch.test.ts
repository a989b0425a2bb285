import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import { startFakeApi } from '../../../test/support/fake-api.ts';
import { clientFor, serve } from '../../../test/support/local-api.ts';
import type { ClusterErrorCode } from '../../core/errors.ts';
import type { Cluster, Kind, WatchEvent } from '../api.ts';
import { connectCluster } from './client.ts';

interface Served {
  readonly cluster: Cluster;
  readonly urls: string[];
  /** Whether the connection of the last request is gone. */
  readonly isClosed: () => boolean;
}

async function serving(answer: (response: ServerResponse) => void, timeoutMilliseconds = 5000): Promise<Served> {
  const urls: string[] = [];
  let isClosed = false;
  const server = await serve(({ url = '' }, response) => {
    urls.push(url);
    response.on('close', () => (isClosed = true));
    answer(response);
  });
  const load = async () => clientFor(server);
  const cluster = await connectCluster({ kubeconfig: '/k', timeoutMilliseconds, load });
  return { cluster, urls, isClosed: () => isClosed };
}

function lineOf(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** What a watch tells until it ends, and the error that ends it. */
async function follow(
  cluster: Cluster,
  { kind = 'Pod', signal, onEvent = () => {} }: { kind?: Kind; signal?: AbortSignal; onEvent?: () => void } = {},
): Promise<{ events: WatchEvent[]; error: unknown }> {
  const events: WatchEvent[] = [];
  try {
    for await (const event of cluster.watch({ kind }, { resourceVersion: '1', ...(signal && { signal }) })) {
      events.push(event);
      onEvent();
    }
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

const POD = { metadata: { name: 'é€😀', resourceVersion: '5' } };
const TOLD = { type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', ...POD } };

describe('a watch', () => {
  test('asks for the changes behind a version, and for bookmarks', async () => {
    const { cluster, urls } = await serving((response) => response.end());
    const selection = { kind: 'Lease', namespace: 'n', labelSelector: 'a=b,c=d' } as const;
    expect(await collect(cluster.watch(selection, { resourceVersion: '7' }))).toEqual([]);
    expect(urls).toEqual([
      '/apis/coordination.k8s.io/v1/namespaces/n/leases' +
        '?watch=1&resourceVersion=7&allowWatchBookmarks=true&labelSelector=a%3Db%2Cc%3Dd',
    ]);
  });

  test('sends nothing before it is read', async () => {
    const { cluster, urls } = await serving((response) => response.end());
    cluster.watch({ kind: 'Pod' }, { resourceVersion: '7' });
    await sleep(50);
    expect(urls).toEqual([]);
  });

  test('tells every event, and ends when the server ends it', async () => {
    const { cluster } = await serving((response) => {
      const types = ['ADDED', 'MODIFIED', 'DELETED'];
      response.write(types.map((type) => lineOf(type, POD)).join(''));
      response.end(lineOf('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: '9' } }));
    });
    expect(await follow(cluster)).toEqual({
      events: [
        TOLD,
        { ...TOLD, type: 'MODIFIED' },
        { ...TOLD, type: 'DELETED' },
        { type: 'BOOKMARK', resourceVersion: '9' },
      ],
      error: undefined,
    });
  });

  test('tells an event when it happens', async () => {
    let more = (): void => {};
    const { cluster } = await serving((response) => {
      response.write(lineOf('ADDED', POD));
      more = () => response.end(lineOf('DELETED', POD));
    });
    const { events } = await follow(cluster, { onEvent: () => more() });
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  test('puts lines together that come in pieces, also of one byte', async () => {
    const { cluster } = await serving((response) => {
      response.socket?.setNoDelay(true);
      void (async () => {
        for (const byte of Buffer.from(lineOf('ADDED', POD))) {
          response.write(Buffer.of(byte));
          await sleep(1);
        }
        response.end();
      })();
    });
    expect(await follow(cluster)).toEqual({ events: [TOLD], error: undefined });
  });

  test('takes lines of megabytes', async () => {
    const data = { a: 'é'.repeat(2_000_000) };
    const { cluster } = await serving((response) => response.end(lineOf('ADDED', { ...POD, data })));
    const { events } = await follow(cluster, { kind: 'ConfigMap' });
    expect(events).toEqual([{ type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', ...POD, data } }]);
  });

  test('outlives the time-out once it is answered', async () => {
    const { cluster } = await serving((response) => {
      response.flushHeaders();
      setTimeout(() => response.end(lineOf('ADDED', POD)), 400);
    }, 100);
    expect(await follow(cluster)).toEqual({ events: [TOLD], error: undefined });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['no answer', () => {}],
    ['a refusal without an end', (response) => response.writeHead(500).write('{')],
  ])('that gets %s times out', async (_, answer) => {
    const { cluster } = await serving(answer, 100);
    const { error } = await follow(cluster);
    expect(error).toMatchObject({ code: 'TIMEOUT' });
    expect(String(error)).toContain('0.1 s');
  });

  test.each<[string, ClusterErrorCode, (response: ServerResponse) => void]>([
    ['status 410', 'GONE', (response) => response.writeHead(410).end('{}')],
    ['an error 410', 'GONE', (response) => response.end(lineOf('ERROR', { code: 410, message: 'too old' }))],
    ['an error 500', 'UNAVAILABLE', (response) => response.end(lineOf('ERROR', { code: 500 }))],
    ['an error without a code', 'UNEXPECTED', (response) => response.end(lineOf('ERROR', {}))],
    ['status 403', 'FORBIDDEN', (response) => response.writeHead(403).end('{}')],
    ['a redirection', 'UNEXPECTED', (response) => response.writeHead(302).end()],
    ['no JSON', 'UNEXPECTED', (response) => response.end('<html>\n')],
    ['an event of a new type', 'UNEXPECTED', (response) => response.end(lineOf('RENAMED', POD))],
    ['an event without an object', 'UNEXPECTED', (response) => response.end('{"type":"ADDED"}\n')],
    ['a bookmark without a version', 'UNEXPECTED', (response) => response.end(lineOf('BOOKMARK', {}))],
  ])('that gets %s ends with %s', async (_, code, answer) => {
    const { cluster, isClosed } = await serving(answer);
    expect(await follow(cluster)).toMatchObject({ events: [], error: { code } });
    await expect.poll(isClosed).toBe(true);
  });

  test('says what the API server said, and nothing of that about Secrets', async () => {
    const { cluster } = await serving((response) =>
      response.end(lineOf('ERROR', { code: 410, message: 'too old: hunter2' })),
    );
    const [open, secret] = [await follow(cluster), await follow(cluster, { kind: 'Secret' })];
    expect(open.error).toHaveProperty('message', 'Could not watch Pod (HTTP 410): too old: hunter2');
    expect(secret.error).toHaveProperty('message', 'Could not watch Secret (HTTP 410)');
  });

  test('never quotes a line that it does not understand', async () => {
    const { cluster } = await serving((response) => response.end('{"type":"ADDED","object":"hunter2"\n'));
    const { error } = await follow(cluster, { kind: 'Secret' });
    expect(error).toHaveProperty('message', 'Could not watch Secret: a line of the answer is no event.');
    expect(error).not.toHaveProperty('cause');
  });

  test('that breaks has no connection, after what it had told', async () => {
    const { cluster } = await serving((response) => {
      response.write(`${lineOf('ADDED', POD)}{"type"`, () => setTimeout(() => response.destroy(), 50));
    });
    expect(await follow(cluster)).toMatchObject({ events: [TOLD], error: { code: 'UNREACHABLE' } });
  });

  test('that cannot begin has no connection', async () => {
    const cluster = await connectCluster({ kubeconfig: '/k', load: async () => clientFor('http://127.0.0.1:1') });
    expect(await follow(cluster)).toMatchObject({ events: [], error: { code: 'UNREACHABLE' } });
  });

  test('closes the connection when its reader has enough', async () => {
    const { cluster, isClosed } = await serving((response) => response.write(lineOf('ADDED', POD)));
    for await (const event of cluster.watch({ kind: 'Pod' }, { resourceVersion: '1' })) {
      expect(event).toEqual(TOLD);
      break;
    }
    await expect.poll(isClosed).toBe(true);
  });
});

describe('the signal of a watch', () => {
  test('that was given before asks for nothing, not even for credentials', async () => {
    let asked = 0;
    const load = async () => clientFor('http://127.0.0.1:1', async () => void (asked += 1));
    const cluster = await connectCluster({ kubeconfig: '/k', load });
    expect(await follow(cluster, { signal: AbortSignal.abort() })).toEqual({ events: [], error: undefined });
    expect(asked).toBe(0);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['before the answer', () => {}],
    ['while nothing happens', (response) => response.flushHeaders()],
    ['in the middle of a line', (response) => response.write('{"type"')],
    ['in the middle of a refusal', (response) => response.writeHead(500).write('{')],
  ])('ends it %s, without an error', async (_, answer) => {
    const stop = new AbortController();
    const { cluster, isClosed } = await serving((response) => {
      answer(response);
      setTimeout(() => stop.abort(), 50);
    });
    expect(await follow(cluster, { signal: stop.signal })).toEqual({ events: [], error: undefined });
    await expect.poll(isClosed).toBe(true);
  });

  test('ends it while credentials are being fetched', async () => {
    const load = async () => clientFor('http://127.0.0.1:1', () => new Promise(() => {}));
    const cluster = await connectCluster({ kubeconfig: '/k', load });
    expect(await follow(cluster, { signal: AbortSignal.timeout(50) })).toEqual({ events: [], error: undefined });
  });

  test('ends it before events that have come but were not told', async () => {
    const { cluster } = await serving((response) => response.end(lineOf('ADDED', POD).repeat(3)));
    const stop = new AbortController();
    const { events, error } = await follow(cluster, { signal: stop.signal, onEvent: () => stop.abort() });
    expect(events).toHaveLength(1);
    expect(error).toBeUndefined();
  });
});

test('a watch over TLS goes on from a list, and breaks with the server', async () => {
  const api = await startFakeApi();
  const folder = mkdtempSync(join(tmpdir(), 'bootlace-kubeconfig-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [ca, cert, key] = [api.login.ca, api.login.cert, api.login.key].map((pem) =>
    Buffer.from(pem).toString('base64'),
  );
  const kubeconfig = join(folder, 'config');
  const server = `https://127.0.0.1:${api.port}`;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { 'client-certificate-data': cert, 'client-key-data': key } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  const cluster = await connectCluster({ kubeconfig });
  const selection = { kind: 'Lease', namespace: 'kube-system' } as const;
  api.setLease('one', { holderIdentity: 'a' });
  const { items, resourceVersion } = await cluster.list(selection);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['one']);

  api.setLease('two', { holderIdentity: 'b' });
  const watch = cluster.watch(selection, { resourceVersion })[Symbol.asyncIterator]();
  const holder = async (): Promise<unknown> => {
    const { value } = (await watch.next()) as IteratorYieldResult<WatchEvent<'Lease'>>;
    return value.type === 'BOOKMARK' ? undefined : value.object.spec.holderIdentity;
  };
  expect(await holder()).toBe('b');
  api.setLease('two', { holderIdentity: 'c' });
  expect(await holder()).toBe('c');

  const next = watch.next();
  const broken = expect(next).rejects.toMatchObject({ code: 'UNREACHABLE' });
  await api.stop();
  await broken;

  await api.start();
  api.forget();
  await expect(cluster.watch(selection, { resourceVersion })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'GONE',
  });
  await api.stop();
});
