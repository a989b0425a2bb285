import type { Settings } from '../settings.ts';
import { countRestarts, type ContainerRestarts, type ContainerState } from './containers.ts';
import { leaseChanges, type ProcessLife } from './leases.ts';
import {
  outcomeOf,
  WATCHES,
  type AgentRecord,
  type Client,
  type LeaseRecord,
  type RequestRecord,
  type SeenRecord,
  type Watch,
  type WatchRecord,
} from './records.ts';

/** What a probe saw. Times are seconds since it began, lengths of time milliseconds. */
export interface Report {
  readonly settings: Settings;
  readonly seconds: number;
  readonly clients: readonly ClientReport[];
  readonly watches: readonly WatchReport[];
  readonly leaders: readonly LeaderReport[];
  readonly containers: readonly ContainerRestarts[];
  readonly totals: Totals;
}

/** Sums over all clients, for a quick look. */
export interface Totals {
  readonly requests: number;
  readonly failed: number;
  readonly retriable: number;
  /** Acknowledged writes that were not there at the end. */
  readonly missing: number;
  /** Changes that a watch never saw. */
  readonly lost: number;
  readonly restarts: number;
  readonly longestLeaderGap: number;
}

export interface ClientReport {
  /** Where it stands: outside, the name of a node, or pod- and a node's name. */
  readonly vantage: string;
  readonly client: Client;
  readonly requests: number;
  readonly acknowledged: number;
  readonly retriable: number;
  readonly failed: number;
  /** Failures by reason: an error, or an HTTP status. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly resent: number;
  readonly missing: number;
  readonly latency: { readonly median: number; readonly p99: number; readonly max: number };
  /** From the first failed write to the first acknowledged one behind it. */
  readonly outages: readonly Span[];
  /** Times of more than 250 ms in which nothing was acknowledged, between one answer and the next. */
  readonly stalls: readonly Span[];
  /** Times in which the client itself was not there, since its machine was off. */
  readonly absences: readonly Span[];
}

export interface Span {
  readonly at: number;
  readonly ms: number;
  /** Failed writes in it, where it counts them. */
  readonly failed?: number;
}

export interface WatchReport {
  readonly vantage: string;
  readonly watch: Watch;
  readonly seen: number;
  readonly lost: number;
  readonly resumed: number;
  readonly relisted: number;
  /** Answers 410. */
  readonly gone: number;
}

export interface LeaderReport {
  readonly component: string;
  readonly holder: string;
  readonly changes: readonly {
    readonly at: number;
    readonly from: string;
    readonly to: string;
    readonly gap: number;
    readonly isProcessEndSeen: boolean;
  }[];
}

/** Everything that a report is made of. */
export interface Observations {
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Records by vantage, as the agents wrote them. */
  readonly records: ReadonlyMap<string, readonly AgentRecord[]>;
  /** Names of all writes that are there at the end. */
  readonly present: ReadonlySet<string>;
  readonly lives: readonly ProcessLife[];
  readonly containersBefore: readonly ContainerState[];
  readonly containersAfter: readonly ContainerState[];
}

const STALL = 250;
// A client that writes 20 times a second is not there when nothing falls due for so long.
const ABSENCE = 1000;

export function reportOf(observations: Observations): Report {
  const { settings, start, end, records } = observations;
  const clients = [...records].flatMap(([vantage, list]) => clientReports(vantage, list, observations));
  const watches = watchReports(observations);
  const leaders = leaderReports(observations);
  const containers = countRestarts(observations.containersBefore, observations.containersAfter);
  const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
    list.reduce((total, one) => total + of(one), 0);
  return {
    settings,
    seconds: tenths(end - start) / 1000,
    clients,
    watches,
    leaders,
    containers,
    totals: {
      requests: sum(clients, ({ requests }) => requests),
      failed: sum(clients, ({ failed }) => failed),
      retriable: sum(clients, ({ retriable }) => retriable),
      missing: sum(clients, ({ missing }) => missing),
      lost: sum(watches, ({ lost }) => lost),
      restarts: sum(containers, ({ restarts }) => restarts),
      longestLeaderGap: Math.max(0, ...leaders.flatMap(({ changes }) => changes.map(({ gap }) => gap))),
    },
  };
}

function isRequest(record: AgentRecord): record is RequestRecord {
  return record.kind === 'request';
}

function clientReports(
  vantage: string,
  records: readonly AgentRecord[],
  { start, present }: Observations,
): ClientReport[] {
  const requests = records.filter(isRequest).toSorted((a, b) => a.at - b.at);
  const byClient = Map.groupBy(requests, ({ client }) => client);
  return [...byClient].map(([client, list]) => clientReport(vantage, client, list, start, present));
}

function clientReport(
  vantage: string,
  client: Client,
  requests: readonly RequestRecord[],
  start: number,
  present: ReadonlySet<string>,
): ClientReport {
  const of = (outcome: ReturnType<typeof outcomeOf>): RequestRecord[] =>
    requests.filter((one) => outcomeOf(one) === outcome);
  const acknowledged = of('acknowledged');
  const failed = of('failed');
  const reasons = [...Map.groupBy(failed, ({ error, status }) => error ?? `${status}`)].map(
    ([reason, list]) => [reason, list.length] as const,
  );
  const isSteady = client !== 'quiet';
  return {
    vantage,
    client,
    requests: requests.length,
    acknowledged: acknowledged.length,
    retriable: of('retriable').length,
    failed: failed.length,
    reasons: Object.fromEntries(reasons.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    resent: requests.filter(({ resent }) => resent).length,
    missing: acknowledged.filter(({ write }) => !present.has(write)).length,
    latency: latencies(acknowledged.map(({ ms }) => ms)),
    outages: outages(requests, start),
    stalls: isSteady
      ? gaps(
          acknowledged.map(({ at, ms }) => at + ms),
          STALL,
          start,
        )
      : [],
    absences: isSteady
      ? gaps(
          requests.map(({ at }) => at),
          ABSENCE,
          start,
        )
      : [],
  };
}

function outages(requests: readonly RequestRecord[], start: number): Span[] {
  const found: Span[] = [];
  let first: RequestRecord | undefined;
  let last: RequestRecord | undefined;
  let failed = 0;
  const close = (until: number): void => {
    if (first !== undefined) found.push({ at: since(start, first.at), ms: tenths(until - first.at), failed });
    first = undefined;
    failed = 0;
  };
  for (const request of requests) {
    const outcome = outcomeOf(request);
    if (outcome === 'acknowledged') close(request.at);
    if (outcome !== 'failed') continue;
    first ??= request;
    failed += 1;
    last = request;
  }
  // Still failing at the end.
  if (last !== undefined) close(last.at + last.ms);
  return found;
}

/** Times between two moments that lie further apart than that many milliseconds. */
function gaps(moments: readonly number[], longerThan: number, start: number): Span[] {
  const sorted = moments.toSorted((a, b) => a - b);
  return sorted.flatMap((moment, index) => {
    const before = sorted[index - 1];
    return before !== undefined && moment - before > longerThan
      ? [{ at: since(start, before), ms: tenths(moment - before) }]
      : [];
  });
}

function latencies(values: readonly number[]): ClientReport['latency'] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

/** A change counts for a watch when the server acknowledged it after the watch had begun. */
function watchReports({ records }: Observations): WatchReport[] {
  const all = [...records.values()]
    .flat()
    .filter(isRequest)
    .filter((one) => outcomeOf(one) === 'acknowledged');
  return [...records].flatMap(([vantage, list]) =>
    WATCHES.flatMap((watch) => {
      const events = list.filter((one): one is WatchRecord => one.kind === 'watch' && one.watch === watch);
      if (events.length === 0) return [];
      const seen = new Set(
        list
          .filter((one): one is SeenRecord => one.kind === 'seen' && one.watch === watch)
          .flatMap(({ writes }) => writes),
      );
      const due = all.filter(({ client }) => (client === 'quiet') === (watch === 'quiet'));
      const count = (event: WatchRecord['event']): number => events.filter((one) => one.event === event).length;
      return [
        {
          vantage,
          watch,
          seen: due.filter(({ write }) => seen.has(write)).length,
          lost: due.filter(({ write }) => !seen.has(write)).length,
          resumed: count('resume'),
          relisted: Math.max(0, count('list') - 1),
          gone: count('gone'),
        },
      ];
    }),
  );
}

function leaderReports({ records, lives, start }: Observations): LeaderReport[] {
  const leases = [...records.values()].flat().filter((one): one is LeaseRecord => one.kind === 'lease');
  const changes = leaseChanges(leases, lives);
  const names = [...new Set(leases.map(({ name }) => name))].toSorted();
  return names.map((name) => ({
    component: name,
    holder:
      leases.filter((one) => one.name === name && one.holder !== '').toSorted((a, b) => a.at - b.at)[0]?.holder ?? '',
    changes: changes
      .filter(({ component }) => component === name)
      .map(({ from, to, acquired, gap, ended }) => ({
        at: since(start, acquired),
        from,
        to,
        gap: tenths(gap),
        isProcessEndSeen: ended !== undefined,
      })),
  }));
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

function since(start: number, moment: number): number {
  return Math.round(moment - start) / 1000;
}
