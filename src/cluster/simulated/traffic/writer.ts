import type { ConfigMapObject } from '../../api.ts';
import type { Endpoint } from '../../host.ts';
import { noAnswer, type ApiRequest, type Reply } from '../api/requests.ts';
import type { Connection, Origin } from '../network.ts';
import type { World } from '../world.ts';
import { NAMESPACE, type ClientRecord, type RequestRecord } from './records.ts';

export interface WriterSettings {
  /** What it belongs to: the names of what it writes begin with that. */
  readonly traffic: string;
  /** Where it stands, as reports name it. */
  readonly vantage: string;
  readonly origin: Origin;
  readonly endpoint: Endpoint;
  /** A connection for each request, or one that is kept as long as its server lives. */
  readonly connection: 'fresh' | 'kept';
  /** Milliseconds between two writes. */
  readonly interval: number;
}

export interface Writer {
  readonly record: ClientRecord;
  /** Writes no more. */
  stop(): void;
  /** Waits no longer for answers that have not come. */
  giveUp(): void;
}

/** Longest time that a client waits for an answer, in milliseconds. */
const PATIENCE = 10_000;

/**
 * A client that writes an object again and again, whatever became of the one before. It sends nothing twice: what is
 * not acknowledged counts, so that even a moment in which nothing listens is seen.
 */
export function startWriter(world: World, settings: WriterSettings): Writer {
  const { clock, network, timings } = world;
  const { traffic, vantage, endpoint, connection, interval } = settings;
  const { draw, random } = world.chance(`${traffic} ${vantage} ${connection}`);
  const origin = { ...settings.origin, random };
  const requests: RequestRecord[] = [];
  const open = new Set<(reply: Reply) => void>();
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
    // A client ends with its machine: what it cannot send is nobody's loss.
    if (origin.node !== undefined && !world.machines.some(({ name, isOn }) => name === origin.node && isOn)) return;
    number += 1;
    const name = `${traffic}-${vantage}-${connection}-${number}`;
    const sentAt = clock.now();
    const answered = (reply: Reply): void => {
      if (!open.delete(answered)) return;
      if (reply.retryAfter) kept = undefined;
      const milliseconds = clock.now() - sentAt + (reply.status === 0 ? 0 : draw(timings.request));
      requests.push({ name, sentAt, milliseconds, reply });
    };
    open.add(answered);
    const server = connect();
    if ('refusal' in server) return answered(server.refusal);
    server.request(requestFor(name), 'kubernetes-admin', answered);
    if (open.has(answered)) clock.at(sentAt + PATIENCE, () => answered(noAnswer('timeout')));
  }

  clock.at(clock.now() + random.next() * interval, write);
  return {
    record: { vantage, connection, requests },
    stop: () => {
      isStopped = true;
    },
    giveUp: () => {
      for (const answered of open) answered(noAnswer('timeout'));
    },
  };
}

function requestFor(name: string): ApiRequest {
  const object: ConfigMapObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE } };
  return { verb: 'create', object };
}
