import type { Reply } from '../api/requests.ts';

/** Namespace of everything that clients write. */
export const NAMESPACE = 'default';

export interface RequestRecord {
  /** Name of what was written. */
  readonly name: string;
  /** On the clock of the simulation, milliseconds. */
  readonly sentAt: number;
  readonly milliseconds: number;
  readonly reply: Reply;
}

export interface ClientRecord {
  readonly vantage: string;
  readonly connection: 'fresh' | 'kept';
  /** In the order of their answers. */
  readonly requests: readonly RequestRecord[];
}

export interface WatchRecord {
  /** Names of everything that it has seen, by its stream or by a list. */
  readonly seen: ReadonlySet<string>;
  /** How often it went on from where it was. */
  readonly resumed: number;
  /** How often the server did not know that place any more, so that everything was read again. */
  readonly gone: number;
}
