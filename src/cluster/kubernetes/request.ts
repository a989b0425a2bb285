import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { reasonOf } from '../../core/redact.ts';
import { ClusterError } from '../api.ts';
import { systemCode, type KubeConfig } from './load.ts';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and query, encoded. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Sends a request with the credentials of a kubeconfig, and takes any answer that comes in time for a good one. */
export async function sendRequest(
  kubeConfig: KubeConfig,
  request: Request,
  timeoutMilliseconds: number,
): Promise<Reply> {
  const server = kubeConfig.getCurrentCluster()?.server ?? '';
  const url = new URL(server.replace(/\/+$/, '') + request.path);
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const options: RequestOptions = {
    method: request.method,
    signal,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
  };
  try {
    await unlessAborted(kubeConfig.applyToHTTPSOptions(options), signal);
  } catch (error) {
    if (signal.aborted) throw timeout(url, timeoutMilliseconds);
    throw new ClusterError('UNAUTHORIZED', `The kubeconfig's credentials cannot be used: ${reasonOf(error)}`);
  }
  try {
    return await exchange(url, options, body);
  } catch (error) {
    if (signal.aborted) throw timeout(url, timeoutMilliseconds);
    const code = systemCode(error) ?? 'unknown error';
    throw new ClusterError('UNREACHABLE', `There is no connection to ${url.host} (${code}).`, { cause: error });
  }
}

function timeout(url: URL, milliseconds: number): ClusterError {
  return new ClusterError('TIMEOUT', `${url.host} gave no answer within ${milliseconds / 1000} s.`);
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    work.then(resolve, reject);
  });
}

function exchange(url: URL, options: RequestOptions, body: string | undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = open(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      // An answer that breaks off is none.
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function open(url: URL, options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
  // Loaded here and not above: a program that only renders has no use for them.
  return url.protocol === 'http:'
    ? process.getBuiltinModule('node:http').request(url, options, onResponse)
    : process.getBuiltinModule('node:https').request(url, options, onResponse);
}
