import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshConnections, reasonFor, type Target } from './connections.ts';

/** What a watch tells whoever started it. */
export interface WatchListener {
  readonly onEvent: (event: 'list' | 'resume' | 'gone' | 'end', reason?: string) => void;
  readonly onObject: (object: WatchedObject) => void;
}

export interface WatchedObject {
  readonly metadata?: {
    readonly name?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

/** A watch that goes on until it is closed, as informers do. */
export interface Watching {
  /** Ends the connection, so that the watch goes on from where it is over a new one. */
  renew(): void;
  close(): void;
}

const PAUSE = 250;
// A server that cannot go on from there says so at once, as an event behind status 200.
const ACCEPTED = 300;
// Bookmarks come every minute. Without one the other side is gone, though nobody said so.
const SILENCE = 90_000;

export function watch(target: Target, path: string, listener: WatchListener): Watching {
  const closing = new AbortController();
  let current: AbortController | undefined;
  void (async () => {
    let version: string | undefined;
    while (!closing.signal.aborted) {
      try {
        const isFresh = version === undefined;
        version ??= await list(target, path, listener);
        current = new AbortController();
        version = await follow(target, path, version, AbortSignal.any([closing.signal, current.signal]), {
          onAccept: () => {
            if (!isFresh) listener.onEvent('resume');
          },
          onVersion: (seen) => (version = seen),
          onObject: listener.onObject,
        });
        listener.onEvent('end');
        if (current.signal.aborted) continue;
      } catch (error) {
        if (error instanceof Gone) {
          listener.onEvent('gone');
          version = undefined;
          continue;
        }
        listener.onEvent('end', reasonFor(error));
      }
      await sleep(PAUSE, undefined, { signal: closing.signal }).catch(() => {});
    }
  })();
  return { renew: () => current?.abort(), close: () => closing.abort() };
}

class Gone extends Error {}

async function list(target: Target, path: string, listener: WatchListener): Promise<string> {
  const answer = await freshConnections(target).send({ method: 'GET', path });
  if (answer.status !== 200) throw new Error(`list answered ${answer.status}`);
  const { metadata, items } = JSON.parse(answer.body) as {
    metadata: { resourceVersion: string };
    items: WatchedObject[];
  };
  listener.onEvent('list');
  for (const item of items) listener.onObject(item);
  return metadata.resourceVersion;
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: WatchedObject & { readonly code?: number; readonly message?: string };
}

/** Reads events until the connection ends, and returns the version of the last one. */
function follow(
  target: Target,
  path: string,
  from: string,
  signal: AbortSignal,
  listener: {
    /** The server lets it go on from there. */
    readonly onAccept: () => void;
    readonly onVersion: (version: string) => void;
    readonly onObject: (object: WatchedObject) => void;
  },
): Promise<string> {
  const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=480&resourceVersion=${from}`;
  return new Promise((resolve, reject) => {
    let version = from;
    let rest = '';
    let accepting: NodeJS.Timeout | undefined;
    const { host, port, tls } = target;
    const headers = { accept: 'application/json', ...(target.token && { authorization: `Bearer ${target.token()}` }) };
    const request = https.request({ host, port, ...tls, path: `${path}?${query}`, agent: false, headers });
    const fail = (error: unknown): void => {
      request.destroy();
      // Asked for: it is no failure, and goes on from the last version.
      if (signal.aborted) resolve(version);
      else reject(error as Error);
    };
    signal.addEventListener('abort', () => fail(undefined), { once: true });
    if (signal.aborted) return fail(undefined);
    request.setTimeout(SILENCE, () => fail(new Error('silence')));
    const answered = setTimeout(() => fail(new Error('timeout')), target.timeout);
    request.on('error', fail);
    request.on('response', (response) => {
      clearTimeout(answered);
      if (response.statusCode === 410) return fail(new Gone());
      if (response.statusCode !== 200) return fail(new Error(`answered ${response.statusCode}`));
      accepting = setTimeout(listener.onAccept, ACCEPTED);
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          if (line === '') continue;
          const { type, object } = JSON.parse(line) as WatchEvent;
          if (type === 'ERROR')
            return fail(object.code === 410 ? new Gone() : new Error(object.message ?? 'error event'));
          version = object.metadata?.resourceVersion ?? version;
          listener.onVersion(version);
          if (type !== 'BOOKMARK') listener.onObject(object);
        }
      });
      response.on('error', fail);
      response.on('close', () => resolve(version));
    });
    request.on('close', () => {
      clearTimeout(answered);
      clearTimeout(accepting);
    });
    request.end();
  });
}
