/** What an agent writes down, one JSON object a line. Times are milliseconds since 1970, of this computer's clock. */
export type AgentRecord = StartRecord | RequestRecord | WatchRecord | SeenRecord | LeaseRecord;

/** An agent began, or began again after its machine was off. */
export interface StartRecord {
  readonly kind: 'start';
  readonly at: number;
}

export const CLIENTS = ['fresh', 'http1', 'http2', 'quiet'] as const;

/**
 * How a writer connects: a new connection for each write, one HTTP/1.1 connection that is kept, one HTTP/2
 * connection that is kept, or a new connection for one of the rare writes that the quiet watch waits for.
 */
export type Client = (typeof CLIENTS)[number];

/** One write, from the moment that it was due. */
export interface RequestRecord {
  readonly kind: 'request';
  readonly client: Client;
  /** What it wrote, by a name that no other write has. */
  readonly write: string;
  readonly at: number;
  /** How long the answer took from then on, or the failure, in milliseconds. */
  readonly ms: number;
  readonly status?: number;
  /** Whether the answer said when to try again. */
  readonly retryAfter?: true;
  /** Whether a kept connection ended before the server took the request, so that it was sent again. */
  readonly resent?: true;
  /** Why there was no answer. */
  readonly error?: string;
}

export const WATCHES = ['busy', 'quiet'] as const;
export type Watch = (typeof WATCHES)[number];

/** Something that happened to a watch. */
export interface WatchRecord {
  readonly kind: 'watch';
  readonly watch: Watch;
  readonly at: number;
  /**
   * `list`: it read everything. `resume`: it went on from where it had been. `gone`: it could not, since the server
   * answered 410. `end`: its connection ended.
   */
  readonly event: 'list' | 'resume' | 'gone' | 'end';
  readonly reason?: string;
}

/** Writes that a watch saw for the first time. */
export interface SeenRecord {
  readonly kind: 'seen';
  readonly watch: Watch;
  readonly at: number;
  readonly writes: readonly string[];
}

/** A lease, whenever it was seen to change. */
export interface LeaseRecord {
  readonly kind: 'lease';
  readonly at: number;
  readonly name: string;
  readonly holder: string;
  readonly acquired: number;
  readonly renewed: number;
}

export type Outcome = 'acknowledged' | 'retriable' | 'failed';

/**
 * What became of a write. Official clients send a request again when the answer is 429 or 503 and says when to try
 * again, so such an answer is no failure to their users.
 */
export function outcomeOf({ status, retryAfter }: Pick<RequestRecord, 'status' | 'retryAfter'>): Outcome {
  if (status !== undefined && status >= 200 && status < 300) return 'acknowledged';
  return retryAfter && (status === 429 || status === 503) ? 'retriable' : 'failed';
}

/** What an agent is told to do. Its file holds keys, so that only root may read it. */
export interface AgentConfiguration {
  /** Where it stands, such as outside, w1 or pod-w1. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** PEM texts; without a certificate it logs in with the service account of its Pod. */
  readonly login: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly namespace: string;
  readonly writers: readonly Client[];
  readonly watches: readonly Watch[];
  /** Whether it looks at the leases of controller-manager and scheduler. */
  readonly leases: boolean;
  /** Milliseconds between two writes of one client, and after which one has failed. */
  readonly interval: number;
  readonly timeout: number;
  /** Milliseconds between two writes for the quiet watch. */
  readonly quietInterval: number;
  /** Milliseconds that a watch has at the end to be told of the last writes, and as many over a new connection. */
  readonly catchUp: number;
}

/** Files in the folder of an agent. */
export const AGENT_FILES = {
  configuration: 'agent.json',
  records: 'records.jsonl',
  /** Tells the agent to write no more, and its watches to catch up. */
  stopWriting: 'stop-writing',
  stop: 'stop',
  /** Tells that everything is written down. */
  done: 'done',
} as const;

/** Names of the marks that writes have left in an object: in its data, or in the annotations of one that has none. */
export function marksOf({ metadata, data }: Marked): string[] {
  return Object.keys(data ?? metadata?.annotations ?? {}).map((mark) => `${metadata?.name}/${mark}`);
}

/** What of an object holds marks. */
export interface Marked {
  readonly metadata?: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

/** Parses records. The last line of an agent that was killed may be half there, and says nothing then. */
export function parseRecords(text: string): AgentRecord[] {
  const records: AgentRecord[] = [];
  for (const line of text.split('\n')) {
    if (!line.endsWith('}')) continue;
    try {
      records.push(JSON.parse(line) as AgentRecord);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return records;
}
