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
  const start = performance.now();
  for (let sequence = 0; !signal.aborted; sequence += 1) {
    const wait = start + sequence * writer.interval - performance.now();
    if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const one = writeOnce(writer, sequence, record).finally(() => open.delete(one));
    open.add(one);
  }
  await Promise.all(open);
  writer.connection.close();
}

async function writeOnce(writer: Writer, sequence: number, record: (one: RequestRecord) => void): Promise<void> {
  const turn = Math.floor(sequence / (writer.objects * MARKS_PER_OBJECT));
  const object = `${writer.object}-${turn}-${sequence % writer.objects}`;
  const write = `${object}/${sequence}`;
  const at = performance.timeOrigin + performance.now();
  const common = { kind: 'request', client: writer.client, write, at: round(at) } as const;
  const elapsed = (): number => round(performance.timeOrigin + performance.now() - at);
  try {
    const answer = await mark(writer, object, `${sequence}`);
    record({
      ...common,
      ms: elapsed(),
      status: answer.status,
      ...(answer.retryAfter && { retryAfter: true }),
      ...(answer.resent && { resent: true }),
    });
  } catch (error) {
    record({ ...common, ms: elapsed(), error: reasonFor(error) });
  }
}

/** Leaves a mark in an object, and makes the object when it is not there yet. */
async function mark(writer: Writer, name: string, key: string): Promise<Answer> {
  const patch = { method: 'PATCH', path: `${writer.path}/${name}`, body: writer.mark(key) } as const;
  const patched = await writer.connection.send(patch);
  if (patched.status !== 404) return patched;
  const object = merge({ metadata: { name } }, writer.mark(key));
  const created = await writer.connection.send({ method: 'POST', path: writer.path, body: object });
  // Another write of the same client came first.
  return created.status === 409 ? await writer.connection.send(patch) : created;
}

function merge(object: { readonly metadata: object }, patch: { readonly metadata?: object }): object {
  return { ...object, ...patch, metadata: { ...object.metadata, ...patch.metadata } };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
