import http2 from 'node:http2';
import https from 'node:https';
import { hostAndPort } from '../../addresses.ts';
import type { AgentConfiguration } from '../records.ts';

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: boolean;
  readonly body: string;
  readonly resent?: boolean;
}

export interface Call {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** A way to send a request. Rejects with a short reason when there is no answer in time. */
export interface Connection {
  send(call: Call): Promise<Answer>;
  close(): void;
}

export interface Target extends Pick<AgentConfiguration, 'host' | 'port' | 'timeout'> {
  readonly tls: { readonly ca: string; readonly cert?: string; readonly key?: string };
  /** The service account's token, where no certificate logs in. */
  readonly token?: () => string;
}

function headersOf(target: Target, call: Call): Record<string, string> {
  const kind = call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return {
    accept: 'application/json',
    ...(call.body && { 'content-type': kind }),
    ...(target.token && { authorization: `Bearer ${target.token()}` }),
  };
}

/** A new connection, with a new TLS session, for each request. */
export function freshConnections(target: Target): Connection {
  return { send: (call) => sendHttp1(target, call, false), close: () => {} };
}

/** One HTTP/1.1 connection that is kept as long as both sides want. */
export function keptHttp1(target: Target): Connection {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  return { send: (call) => sendHttp1(target, call, agent), close: () => agent.destroy() };
}

function sendHttp1(target: Target, call: Call, agent: https.Agent | false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { host, port, tls } = target;
    const { method, path } = call;
    const request = https.request({ host, port, ...tls, method, path, agent, headers: headersOf(target, call) });
    const timer = setTimeout(() => request.destroy(new Error('timeout')), target.timeout);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    request.on('error', fail);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, retryAfter: 'retry-after' in response.headers, body });
      });
    });
    request.end(call.body && JSON.stringify(call.body));
  });
}

const MOST_RESENDS = 6;

/** One HTTP/2 connection, replaced when it ends. */
export function keptHttp2(target: Target): Connection {
  // An old one goes on for the requests that are under way.
  const all = new Set<Session>();
  let current: Session | undefined;
  const use = (): Session => {
    if (current && !current.http.closed && !current.http.destroyed) return current;
    const opened = openSession(target);
    opened.http.on('close', () => all.delete(opened));
    all.add(opened);
    current = opened;
    return opened;
  };
  const retire = (session: Session): void => {
    if (current === session) current = undefined;
    session.http.close();
  };
  return {
    async send(call) {
      const deadline = performance.now() + target.timeout;
      for (let resent = 0; ; resent += 1) {
        const session = use();
        try {
          const answer = await sendHttp2(session, target, call, deadline);
          return resent > 0 ? { ...answer, resent: true } : answer;
        } catch (error) {
          // Whoever does not answer in time may never again, as after a power cut: later requests go over another
          // connection, and those that are under way have their own time.
          if (error instanceof NotTaken || isTimeout(error)) retire(session);
          // The server said that it did not take this one. Go's client sends it again at once, some times.
          if (!(error instanceof NotTaken) || resent === MOST_RESENDS) throw error;
        }
      }
    },
    close: () => {
      for (const { http } of all) http.destroy();
    },
  };
}

interface Session {
  readonly http: http2.ClientHttp2Session;
  /** Number of the last stream that the server takes. */
  lastTaken: number;
}

function openSession(target: Target): Session {
  const session: Session = {
    http: http2.connect(`https://${hostAndPort(target.host, target.port)}`, { ...target.tls }),
    lastTaken: Number.POSITIVE_INFINITY,
  };
  // Each request on it hears of its end.
  session.http.on('error', () => {});
  session.http.on(
    'goaway',
    (_code, last) => (session.lastTaken = Math.min(session.lastTaken, last ?? session.lastTaken)),
  );
  return session;
}

class NotTaken extends Error {}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout';
}

function sendHttp2(session: Session, target: Target, call: Call, deadline: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.http.request({ ':method': call.method, ':path': call.path, ...headersOf(target, call) });
    const timer = setTimeout(() => fail(new Error('timeout')), deadline - performance.now());
    const fail = (error: Error): void => {
      clearTimeout(timer);
      const isRefused =
        stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? 0) > session.lastTaken;
      reject(isRefused ? new NotTaken('not taken') : error);
      if (!stream.closed) stream.close(http2.constants.NGHTTP2_CANCEL);
    };
    let status = 0;
    let retryAfter = false;
    let body = '';
    stream.on('response', (received) => {
      status = received[':status'] ?? 0;
      retryAfter = 'retry-after' in received;
    });
    stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    stream.on('end', () => {
      if (status === 0) return;
      clearTimeout(timer);
      resolve({ status, retryAfter, body });
    });
    stream.on('error', fail);
    stream.on('close', () => fail(new Error('closed')));
    stream.end(call.body && JSON.stringify(call.body));
  });
}

/** A short name for why there was no answer, such as ECONNREFUSED. */
export function reasonFor(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message ?? String(error);
}
