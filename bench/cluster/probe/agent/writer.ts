import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, RequestRecord } from '../records.ts';
import { reasonFor, type Answer, type Connection } from './connections.ts';

export interface Writer {
  readonly client: Client;
  readonly connection: Connection;
  /** Path of the collection that it writes to. */
  readonly path: string;
  /** Where in an object a write leaves its mark. */
  readonly mark: (write: string) => object;
  /** Names of its objects, each with a number behind. */
  readonly object: string;
  readonly interval: number;
  /**
   * How many objects it writes to in turn. As many as it can have writes under way: two writes to one object at the
   * same time may conflict, which says nothing of the server.
   */
  readonly objects: number;
}

// An object that collects all marks for ever would grow to the limit of its size.
const MARKS_PER_OBJECT = 50;

/**
 * Writes at a fixed rate until told to stop, whether or not earlier writes have been answered: a server that hangs
 * delays every write that falls due in that time, and each one counts.
 */
export async function writeSteadily(
  writer: Writer,
  signal: AbortSignal,
  record: (one: RequestRecord) => void,
): Promise<void> {
  const open = new Set<Promise<void>>();
  const start = now();
  for (let sequence = 0; !signal.aborted; sequence += 1) {
    const due = start + sequence * writer.interval;
    if (due > now()) await sleep(due - now(), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const one = writeOnce(writer, sequence, due, record).finally(() => open.delete(one));
    open.add(one);
  }
  await Promise.all(open);
  writer.connection.close();
}

async function writeOnce(
  writer: Writer,
  sequence: number,
  due: number,
  record: (one: RequestRecord) => void,
): Promise<void> {
  const place = placeOf(writer, sequence);
  const common = {
    kind: 'request',
    client: writer.client,
    write: `${place.object}/${sequence}`,
    at: round(due),
  } as const;
  try {
    const answer = await mark(writer, place, `${sequence}`);
    record({
      ...common,
      ms: round(now() - due),
      status: answer.status,
      ...(answer.retryAfter && { retryAfter: true }),
      ...(answer.resent && { resent: true }),
    });
  } catch (error) {
    record({ ...common, ms: round(now() - due), error: reasonFor(error) });
  }
}

interface Place {
  readonly object: string;
  /** Whether no earlier write went there. */
  readonly isNew: boolean;
}

function placeOf({ object, objects }: Writer, sequence: number): Place {
  const turn = Math.floor(sequence / objects);
  return {
    object: `${object}-${Math.floor(turn / MARKS_PER_OBJECT)}-${sequence % objects}`,
    isNew: turn % MARKS_PER_OBJECT === 0,
  };
}

/**
 * Leaves a mark in an object. The first one makes the object; when that failed, or came late, the next one finds out.
 */
async function mark(writer: Writer, { object, isNew }: Place, key: string): Promise<Answer> {
  const { connection, path } = writer;
  const whole = { metadata: { name: object } };
  const create = { method: 'POST', path, body: merge(whole, writer.mark(key)) } as const;
  const patch = { method: 'PATCH', path: `${path}/${object}`, body: writer.mark(key) } as const;
  const answer = await connection.send(isNew ? create : patch);
  if (answer.status === (isNew ? 409 : 404)) return await connection.send(isNew ? patch : create);
  return answer;
}

function merge(object: { readonly metadata: object }, patch: { readonly metadata?: object }): object {
  return { ...object, ...patch, metadata: { ...object.metadata, ...patch.metadata } };
}

/** Milliseconds since 1970, finer than Date has them, and not set back. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
