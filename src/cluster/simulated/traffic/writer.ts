import type { ConfigMapObject } from '../../api.ts';
import type { Endpoint } from '../../host.ts';
import { noAnswer, type ApiRequest, type Reply } from '../api/requests.ts';
import type { Connection, Origin } from '../network.ts';
import type { World } from '../world.ts';
import { NAMESPACE, type ClientRecord, type RequestRecord } from './records.ts';

export interface WriterSettings {
  /** Where it stands, as reports name it. */
  readonly vantage: string;
  readonly origin: Origin;
  readonly endpoint: Endpoint;
  /** A connection for each request, or one that is kept as long as its server lives. */
  readonly connection: 'fresh' | 'kept';
  /** Milliseconds between two writes. */
  readonly interval: number;
}

/** Longest time that a client waits for an answer, in milliseconds. */
const PATIENCE = 10_000;

/**
 * A client that writes an object again and again, whatever became of the one before. It sends nothing twice: what is
 * not acknowledged counts, so that even a moment in which nothing listens is seen.
 */
export function startWriter(world: World, settings: WriterSettings): { readonly record: ClientRecord; stop(): void } {
  const { clock, network, timings, draw } = world;
  const { vantage, origin, endpoint, connection, interval } = settings;
  const requests: RequestRecord[] = [];
  let kept: Connection | undefined;
  let isStopped = false;
  let number = 0;

  function connect(): Connection {
    if (connection === 'fresh') return network.connect(origin, endpoint);
    // A client hears that its server is gone, and asks for another one before it sends.
    if (kept === undefined || 'refusal' in kept || !kept.isOpen) kept = network.connect(origin, endpoint);
    return kept;
  }

  function write(): void {
    if (isStopped) return;
    clock.at(clock.now() + interval, write);
    number += 1;
    const name = `${vantage}-${connection}-${number}`;
    const sentAt = clock.now();
    let isAnswered = false;
    const answered = (reply: Reply): void => {
      if (isAnswered) return;
      isAnswered = true;
      if (reply.retryAfter) kept = undefined;
      const milliseconds = clock.now() - sentAt + (reply.status === 0 ? 0 : draw(timings.request));
      requests.push({ name, sentAt, milliseconds, reply });
    };
    const server = connect();
    if ('refusal' in server) return answered(server.refusal);
    server.request(requestFor(name), 'kubernetes-admin', answered);
    if (!isAnswered) clock.at(sentAt + PATIENCE, () => answered(noAnswer('timeout')));
  }

  clock.at(clock.now() + world.random.next() * interval, write);
  return {
    record: { vantage, connection, requests },
    stop: () => {
      isStopped = true;
    },
  };
}

function requestFor(name: string): ApiRequest {
  const object: ConfigMapObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE } };
  return { verb: 'create', object };
}
