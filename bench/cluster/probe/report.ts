import type { Settings } from '../settings.ts';
import { countRestarts, type ContainerRestarts, type ContainersByNode } from './containers.ts';
import { leaseChanges, type ProcessLife } from './leases.ts';
import {
  outcomeOf,
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
  /** Acknowledged writes that were not there at the end; unknown when the API could not be asked. */
  readonly missing: number | null;
  /** Changes that a watch never saw, of watches that were there to the end. */
  readonly lost: number;
  /** Restarts of containers, of those whose number is known. */
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
  /** Sent again on a new connection, since the server had not taken it on the kept one. */
  readonly resent: number;
  readonly missing: number | null;
  readonly latency: { readonly median: number; readonly p99: number; readonly max: number };
  /** From the first failed write to the first acknowledged one behind it. */
  readonly outages: readonly Span[];
  /** Times of more than 250 ms in which nothing was acknowledged, though the client was there. */
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
  /** Changes that it had not seen at the end; unknown when it was not there then. */
  readonly lost: number | null;
  /** How often it went on from where it had been. */
  readonly resumed: number;
  /** How often it read everything again. */
  readonly relisted: number;
  /** Answers 410. */
  readonly gone: number;
}

export interface LeaderReport {
  readonly component: string;
  /** Who led when the probe began. */
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
  readonly vantages: readonly ObservedVantage[];
  /** Names of all writes that are there at the end; nothing when the API could not be asked. */
  readonly present: ReadonlySet<string> | undefined;
  readonly lives: readonly ProcessLife[];
  readonly containersBefore: ContainersByNode;
  readonly containersAfter: ContainersByNode;
}

/** What one agent was there for, and what it wrote down. */
export interface ObservedVantage {
  readonly name: string;
  readonly writers: readonly Client[];
  readonly watches: readonly Watch[];
  readonly records: readonly AgentRecord[];
  /** Whether it came to its end, and was not off then. */
  readonly isDone: boolean;
}

const STALL = 250;
// A client that writes 20 times a second is not there when nothing falls due for so long.
const ABSENCE = 1000;

export function reportOf(observations: Observations): Report {
  const { settings, start, end } = observations;
  const clients = observations.vantages.flatMap((vantage) =>
    vantage.writers.map((client) => clientReport(vantage, client, observations)),
  );
  const watches = watchReports(observations);
  const leaders = leaderReports(observations);
  const containers = countRestarts(observations.containersBefore, observations.containersAfter);
  const sum = <T>(list: readonly T[], of: (one: T) => number | null): number =>
    list.reduce((total, one) => total + (of(one) ?? 0), 0);
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
      missing: observations.present === undefined ? null : sum(clients, ({ missing }) => missing),
      lost: sum(watches, ({ lost }) => lost),
      restarts: sum(containers, ({ restarts }) => restarts),
      longestLeaderGap: Math.max(0, ...leaders.flatMap(({ changes }) => changes.map(({ gap }) => gap))),
    },
  };
}

/** The writes of one client that fell due while the probe ran. */
function writesOf({ records }: ObservedVantage, client: Client, { start, end }: Observations): RequestRecord[] {
  return records
    .filter((one): one is RequestRecord => one.kind === 'request' && one.client === client)
    .filter(({ at }) => at >= start && at < end)
    .toSorted((a, b) => a.at - b.at);
}

function clientReport(vantage: ObservedVantage, client: Client, observations: Observations): ClientReport {
  const { start, end, present } = observations;
  const requests = writesOf(vantage, client, observations);
  const of = (outcome: ReturnType<typeof outcomeOf>): RequestRecord[] =>
    requests.filter((one) => outcomeOf(one) === outcome);
  const acknowledged = of('acknowledged');
  const failed = of('failed');
  const reasons = [...Map.groupBy(failed, ({ error, status }) => error ?? `${status}`)].map(
    ([reason, list]) => [reason, list.length] as const,
  );
  // One that writes every ten seconds is neither away nor stalled in between.
  const isSteady = client !== 'quiet';
  const between = (moments: readonly number[], longerThan: number): Gap[] =>
    isSteady ? gaps([start, ...moments.filter((moment) => moment < end), end], longerThan) : [];
  const absences = between(
    requests.map(({ at }) => at),
    ABSENCE,
  );
  const stalls = between(
    acknowledged.map(({ at, ms }) => at + ms),
    STALL,
  ).flatMap((gap) => without(gap, absences, STALL));
  return {
    vantage: vantage.name,
    client,
    requests: requests.length,
    acknowledged: acknowledged.length,
    retriable: of('retriable').length,
    failed: failed.length,
    reasons: Object.fromEntries(reasons.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    resent: requests.filter(({ resent }) => resent).length,
    missing: present === undefined ? null : acknowledged.filter(({ write }) => !present.has(write)).length,
    latency: latencies(acknowledged.map(({ ms }) => ms)),
    outages: outages(requests, start),
    stalls: stalls.map((gap) => spanOf(gap, start)),
    absences: absences.map((gap) => spanOf(gap, start)),
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

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Times between two moments that lie further apart than that many milliseconds. */
function gaps(moments: readonly number[], longerThan: number): Gap[] {
  const sorted = moments.toSorted((a, b) => a - b);
  return sorted.flatMap((to, index) => {
    const from = sorted[index - 1];
    return from !== undefined && to - from > longerThan ? [{ from, to }] : [];
  });
}

/** What is left of a gap when others are taken out of it, as far as it is longer than that many milliseconds. */
function without(gap: Gap, others: readonly Gap[], longerThan: number): Gap[] {
  let rest: Gap[] = [gap];
  for (const { from, to } of others) {
    rest = rest.flatMap((one) => [
      { from: one.from, to: Math.min(one.to, from) },
      { from: Math.max(one.from, to), to: one.to },
    ]);
  }
  return rest.filter(({ from, to }) => to - from > longerThan);
}

function spanOf({ from, to }: Gap, start: number): Span {
  return { at: since(start, from), ms: tenths(to - from) };
}

function latencies(values: readonly number[]): ClientReport['latency'] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

/** A watch has to see every change that the server acknowledged. */
function watchReports(observations: Observations): WatchReport[] {
  const { vantages } = observations;
  const due = (watch: Watch): RequestRecord[] =>
    vantages.flatMap((vantage) =>
      vantage.writers
        .filter((client) => (client === 'quiet') === (watch === 'quiet'))
        .flatMap((client) => writesOf(vantage, client, observations))
        .filter((one) => outcomeOf(one) === 'acknowledged'),
    );
  return vantages.flatMap(({ name, watches, records, isDone }) =>
    watches.map((watch) => {
      const events = records.filter((one): one is WatchRecord => one.kind === 'watch' && one.watch === watch);
      const seen = new Set(
        records
          .filter((one): one is SeenRecord => one.kind === 'seen' && one.watch === watch)
          .flatMap(({ writes }) => writes),
      );
      const writes = due(watch);
      const count = (event: WatchRecord['event']): number => events.filter((one) => one.event === event).length;
      // Each agent that starts reads everything once.
      const starts = records.filter(({ kind }) => kind === 'start').length;
      return {
        vantage: name,
        watch,
        seen: writes.filter(({ write }) => seen.has(write)).length,
        lost: isDone ? writes.filter(({ write }) => !seen.has(write)).length : null,
        resumed: count('resume'),
        relisted: Math.max(0, count('list') - starts),
        gone: count('gone'),
      };
    }),
  );
}

function leaderReports({ vantages, lives, start, end }: Observations): LeaderReport[] {
  const leases = vantages.flatMap(({ records }) => records).filter((one): one is LeaseRecord => one.kind === 'lease');
  const changes = leaseChanges(leases, lives, end);
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
