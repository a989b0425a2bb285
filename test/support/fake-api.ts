import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marksOf } from '../../bench/cluster/probe/records.ts';

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** A small part of the Kubernetes API over real TLS and real HTTP, which does whatever a test wants it to. */
export interface FakeApi {
  readonly port: number;
  /** PEM texts to trust it by and to log in with. It lets everybody in. */
  readonly login: { readonly ca: string; readonly cert: string; readonly key: string };
  /** Nobody can connect, and open connections break. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Requests are taken and answered later, as by a process that is suspended. */
  pause(): void;
  proceed(): void;
  /** Answers everything in this way from now on; nothing for the usual way. */
  answer(how: { readonly status: number; readonly retryAfter?: boolean } | undefined): void;
  /** Refuses so many of the next HTTP/2 requests before it takes them. */
  refuseStreams(count: number): void;
  /** Forgets events, so that watches which go on from before get 410. */
  forget(): void;
  /** Forgets what a key holds, though it was acknowledged. */
  loseMark(mark: string): void;
  /** Shows a mark to nobody, though it is stored. */
  hide(mark: string): void;
  /** Names of marks that are stored. */
  marks(): Set<string>;
  /** The most requests that were under way for one object at the same time. */
  mostAtOnce(): number;
  setLease(name: string, spec: object): void;
}

export async function startFakeApi(): Promise<FakeApi> {
  const tls = selfSigned();
  const collections = new Map<string, Map<string, Stored>>();
  const events: { readonly path: string; readonly version: number; readonly object: Stored }[] = [];
  const watchers = new Set<{ readonly path: string; readonly send: (event: object) => void }>();
  const underWay = new Map<string, number>();
  let most = 0;
  let version = 1;
  let oldest = 0;
  const hidden = new Set<string>();
  let refusals = 0;
  let fixed: { readonly status: number; readonly retryAfter?: boolean } | undefined;
  let paused: (() => void)[] | undefined;
  let server: Http2SecureServer;
  let port = 0;
  const sockets = new Set<Socket>();

  const collection = (path: string): Map<string, Stored> =>
    collections.get(path) ?? collections.set(path, new Map()).get(path)!;

  function visible(object: Stored): Stored {
    const marks = Object.entries(object.data ?? {}).filter(([key]) => !hidden.has(`${object.metadata.name}/${key}`));
    return object.data ? { ...object, data: Object.fromEntries(marks) } : object;
  }

  function store(path: string, name: string, change: Pick<Stored, 'data'> & { readonly metadata?: object }): void {
    version += 1;
    const before = collection(path).get(name);
    const object: Stored = {
      ...before,
      ...change,
      metadata: {
        ...before?.metadata,
        ...change.metadata,
        name,
        resourceVersion: `${version}`,
        annotations: {
          ...before?.metadata.annotations,
          ...(change.metadata as Stored['metadata'] | undefined)?.annotations,
        },
      },
      ...((before?.data ?? change.data) && { data: { ...before?.data, ...change.data } }),
    };
    collection(path).set(name, object);
    events.push({ path, version, object });
    for (const watcher of watchers)
      if (watcher.path === path) watcher.send({ type: 'MODIFIED', object: visible(object) });
  }

  function handle(request: Http2ServerRequest, response: Http2ServerResponse, body: string): void {
    if (refusals > 0 && request.httpVersionMajor === 2) {
      refusals -= 1;
      response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const url = new URL(request.url, 'https://fake');
    const send = (status: number, object: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(object));
    };
    if (fixed) {
      response.writeHead(fixed.status, fixed.retryAfter ? { 'retry-after': '1' } : {});
      response.end('{}');
      return;
    }
    if (request.method === 'GET') return read(url, send, response);
    const name =
      request.method === 'POST' ? (JSON.parse(body) as Stored).metadata.name : url.pathname.split('/').pop()!;
    const path = request.method === 'POST' ? url.pathname : url.pathname.slice(0, url.pathname.lastIndexOf('/'));
    const isThere = collection(path).has(name);
    if (request.method === 'PATCH' && !isThere) return send(404, {});
    if (request.method === 'POST' && isThere) return send(409, {});
    store(path, name, JSON.parse(body) as Stored);
    send(isThere ? 200 : 201, {});
  }

  function read(url: URL, send: (status: number, object: object) => void, response: Http2ServerResponse): void {
    const path = url.pathname;
    if (!url.searchParams.has('watch')) {
      return send(200, {
        metadata: { resourceVersion: `${version}` },
        items: [...collection(path).values()].map(visible),
      });
    }
    const from = Number(url.searchParams.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    // Watches come over HTTP/1.1, and want to know at once that they are answered.
    (response as unknown as ServerResponse).flushHeaders();
    const line = (event: object): void => void response.write(`${JSON.stringify(event)}\n`);
    if (from < oldest) {
      line({ type: 'ERROR', object: { code: 410, message: 'too old resource version' } });
      response.end();
      return;
    }
    for (const event of events)
      if (event.path === path && event.version > from) line({ type: 'MODIFIED', object: visible(event.object) });
    const watcher = { path, send: line };
    watchers.add(watcher);
    response.on('close', () => watchers.delete(watcher));
  }

  async function start(): Promise<void> {
    server = createSecureServer({ ...tls, allowHTTP1: true }, (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const { method, url } = request;
        if (method === 'PATCH') {
          underWay.set(url, (underWay.get(url) ?? 0) + 1);
          most = Math.max(most, underWay.get(url)!);
          response.on('close', () => underWay.set(url, underWay.get(url)! - 1));
        }
        if (paused) paused.push(() => handle(request, response, body));
        else handle(request, response, body);
      });
    });
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server.on('sessionError', () => {});
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    port = (server.address() as AddressInfo).port;
  }

  await start();
  return {
    get port() {
      return port;
    },
    login: { ca: tls.cert, ...tls },
    start,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    pause: () => void (paused ??= []),
    proceed: () => {
      const waiting = paused ?? [];
      paused = undefined;
      for (const one of waiting) one();
    },
    refuseStreams: (count) => void (refusals = count),
    answer: (how) => void (fixed = how),
    forget: () => {
      version += 1;
      oldest = version;
    },
    hide: (mark) => void hidden.add(mark),
    loseMark: (mark) => {
      const [name, key] = mark.split('/') as [string, string];
      for (const objects of collections.values()) {
        const object = objects.get(name);
        if (object)
          objects.set(name, {
            ...object,
            data: Object.fromEntries(Object.entries(object.data ?? {}).filter(([one]) => one !== key)),
          });
      }
    },
    marks: () => new Set([...collections.values()].flatMap((objects) => [...objects.values()]).flatMap(marksOf)),
    mostAtOnce: () => most,
    setLease: (name, spec) =>
      store('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', name, { spec } as object),
  };
}

function selfSigned(): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'bootlace-tls-'));
  try {
    const files = ['-keyout', join(folder, 'key'), '-out', join(folder, 'cert')];
    const subject = ['-subj', '/CN=fake', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...files, ...subject],
      {
        stdio: 'ignore',
      },
    );
    return { cert: readFileSync(join(folder, 'cert'), 'utf8'), key: readFileSync(join(folder, 'key'), 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
