import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { reasonOf } from '../../core/redact.ts';
import { ClusterError } from '../api.ts';
import { linesOf } from './lines.ts';
import { systemCode, type KubeConfig } from './load.ts';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, encoded. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
}

/** Whose credentials a request has, and where it comes from. */
export interface Way {
  readonly kubeConfig: KubeConfig;
  /** Address of this machine that connections begin at. Default: as the system chooses. */
  readonly localAddress?: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** An answer that goes on: its lines, as they come. Reading them throws `UNREACHABLE` when the connection breaks. */
export interface Stream {
  readonly status: number;
  readonly lines: AsyncIterable<string>;
}

/** After so many milliseconds without a word, the system asks whether the other side is still there. */
const KEEP_ALIVE_MILLISECONDS = 30_000;

/** Sends a request with the credentials of a kubeconfig, and takes any answer that comes in time for a good one. */
export async function sendRequest(way: Way, request: Request, timeoutMilliseconds: number): Promise<Reply> {
  return exchange(way, request, { timeoutMilliseconds }, replyOf);
}

/**
 * Sends a request whose good answer has no end of its own. The time-out is over with the first of it, or with all of a
 * refusal. The signal ends it at any time, with an error that has no meaning.
 */
export async function openStream(
  way: Way,
  request: Request,
  timeoutMilliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Reply | Stream> {
  return exchange(way, request, { timeoutMilliseconds, signal }, async (response, url) => {
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) return await replyOf(response);
    // A server that lost its power says nothing, and neither does one to which nothing happens.
    response.socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS);
    return { status, lines: unbroken(response, url) };
  });
}

interface Limits {
  readonly timeoutMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request, and reads of its answer what is wanted within the time. */
async function exchange<T>(
  way: Way,
  request: Request,
  { timeoutMilliseconds, signal }: Limits,
  read: (response: IncomingMessage, url: URL) => Promise<T>,
): Promise<T> {
  const { kubeConfig, localAddress } = way;
  const server = kubeConfig.getCurrentCluster()?.server ?? '';
  const url = new URL(server.replace(/\/+$/, '') + request.path);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMilliseconds);
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const either = signal ? AbortSignal.any([late.signal, signal]) : late.signal;
  const options: RequestOptions = {
    method: request.method,
    ...(localAddress !== undefined && { localAddress }),
    headers: {
      accept: 'application/json',
      ...(body !== undefined && {
        'content-type': request.contentType ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    },
  };
  try {
    await logIn(kubeConfig, options, either);
    return await read(await responseTo(url, options, body, either), url);
  } catch (error) {
    if (late.signal.aborted)
      throw new ClusterError('TIMEOUT', `${url.host} gave no answer within ${timeoutMilliseconds / 1000} s.`);
    throw error instanceof ClusterError ? error : unreachable(url, error);
  } finally {
    clearTimeout(timer);
  }
}

async function logIn(kubeConfig: KubeConfig, options: RequestOptions, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(kubeConfig.applyToHTTPSOptions(options), signal);
  } catch (error) {
    throw new ClusterError('UNAUTHORIZED', `The kubeconfig's credentials cannot be used: ${reasonOf(error)}`);
  }
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    work.then(resolve, reject);
  });
}

function unreachable(url: URL, cause: unknown): ClusterError {
  const code = systemCode(cause) ?? 'unknown error';
  return new ClusterError('UNREACHABLE', `There is no connection to ${url.host} (${code}).`, { cause });
}

/** The whole answer. One that breaks off is none. */
async function replyOf(response: IncomingMessage): Promise<Reply> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
}

async function* unbroken(response: IncomingMessage, url: URL): AsyncGenerator<string, void, undefined> {
  try {
    yield* linesOf(response);
  } catch (error) {
    throw unreachable(url, error);
  }
}

/**
 * The signal is not given to the request itself: Node 22 throws an error that nobody can catch when it comes between the
 * end of an answer and the moment that its last part is read.
 */
function responseTo(
  url: URL,
  options: RequestOptions,
  body: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = open(url, options, resolve);
    const onAbort = (): void => void request.destroy();
    request.on('error', reject);
    request.on('close', () => signal.removeEventListener('abort', onAbort));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    request.end(body);
  });
}

function open(url: URL, options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
  // Loaded here and not above: a program that only renders has no use for them.
  return url.protocol === 'http:'
    ? process.getBuiltinModule('node:http').request(url, options, onResponse)
    : process.getBuiltinModule('node:https').request(url, options, onResponse);
}
