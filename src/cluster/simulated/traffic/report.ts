import type { SimulatedEvent } from '../events.ts';
import type { ClientRecord, RequestRecord, WatchRecord } from './records.ts';

/** What clients saw. Times are seconds since the traffic began. */
export interface TrafficReport {
  readonly seconds: number;
  readonly requests: number;
  /** Neither acknowledged nor answered with the wish to come again. */
  readonly failed: number;
  /** 503 or 429 with `Retry-After`, which clients send again by themselves. */
  readonly retriable: number;
  /** Acknowledged writes that are not there at the end. */
  readonly missing: number;
  readonly clients: readonly ClientReport[];
  readonly watch: { readonly seen: number; readonly lost: number; readonly resumed: number; readonly gone: number };
  readonly leaderGaps: readonly LeaderGap[];
  readonly restarts: readonly Restarts[];
}

export interface ClientReport {
  /** `outside`, or the name of a node, from which the client goes through the Service. */
  readonly vantage: string;
  readonly connection: 'fresh' | 'kept';
  readonly requests: number;
  readonly failed: number;
  readonly retriable: number;
  /** Failures by their reason: an HTTP status, or what became of the connection. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly outages: readonly Outage[];
  /** Slowest acknowledged request, in milliseconds. */
  readonly slowest: number;
}

/** From the first failed request to the end of the first acknowledged one that was sent after it. */
export interface Outage {
  readonly at: number;
  /** Until the end of the traffic where nothing was acknowledged any more. */
  readonly seconds: number;
  readonly failed: number;
}

/** From the moment that a leader ended, or gave its lease back, to the moment that the next one leads. */
export interface LeaderGap {
  readonly component: string;
  readonly at: number;
  readonly seconds: number;
}

/** Containers of a Pod that were started again. */
export interface Restarts {
  readonly node: string;
  readonly pod: string;
  readonly count: number;
}

export interface Observations {
  readonly from: number;
  readonly to: number;
  readonly clients: readonly ClientRecord[];
  readonly watch: WatchRecord;
  /** Names of everything that is there at the end. */
  readonly present: ReadonlySet<string>;
  readonly events: readonly SimulatedEvent[];
}

export function reportOf({ from, to, clients, watch, present, events }: Observations): TrafficReport {
  const reports = clients.map((client) => clientReport(client, from, to));
  const acknowledged = clients.flatMap(({ requests }) => requests.filter(isAcknowledged)).map(({ name }) => name);
  const sum = (of: (report: ClientReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    seconds: seconds(to - from),
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
    retriable: sum(({ retriable }) => retriable),
    missing: acknowledged.filter((name) => !present.has(name)).length,
    clients: reports,
    watch: {
      seen: watch.seen.size,
      lost: acknowledged.filter((name) => !watch.seen.has(name)).length,
      resumed: watch.resumed,
      gone: watch.gone,
    },
    leaderGaps: leaderGaps(events, from, to),
    restarts: restartsIn(events.filter(({ at }) => at >= from && at <= to)),
  };
}

function clientReport({ vantage, connection, requests }: ClientRecord, from: number, to: number): ClientReport {
  const failed = requests.filter((request) => !isAcknowledged(request) && !isRetriable(request));
  const reasons = new Map<string, number>();
  for (const { reply } of failed) {
    const reason = reply.status === 0 ? (reply.message ?? '') : String(reply.status);
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return {
    vantage,
    connection,
    requests: requests.length,
    failed: failed.length,
    retriable: requests.filter(isRetriable).length,
    reasons: Object.fromEntries([...reasons].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    outages: outagesOf(requests, failed, from, to),
    slowest: Math.round(Math.max(0, ...requests.filter(isAcknowledged).map(({ milliseconds }) => milliseconds))),
  };
}

function outagesOf(
  requests: readonly RequestRecord[],
  failed: readonly RequestRecord[],
  from: number,
  to: number,
): readonly Outage[] {
  const good = requests.filter(isAcknowledged).toSorted((a, b) => a.sentAt - b.sentAt);
  const outages: { at: number; end: number; failed: number }[] = [];
  for (const { sentAt } of failed.toSorted((a, b) => a.sentAt - b.sentAt)) {
    const last = outages.at(-1);
    if (last !== undefined && sentAt < last.end) {
      last.failed += 1;
      continue;
    }
    const next = good.find((request) => request.sentAt > sentAt);
    outages.push({ at: sentAt, end: next === undefined ? to : next.sentAt + next.milliseconds, failed: 1 });
  }
  return outages.map(({ at, end, failed: count }) => ({
    at: seconds(at - from),
    seconds: seconds(end - at),
    failed: count,
  }));
}

/** A leader that was gone before the traffic began counts from there. */
function leaderGaps(events: readonly SimulatedEvent[], from: number, to: number): readonly LeaderGap[] {
  const gaps: LeaderGap[] = [];
  const since = new Map<string, number>();
  const close = (component: string, at: number): void => {
    const start = since.get(component);
    since.delete(component);
    if (start === undefined || at <= from) return;
    const begin = Math.max(start, from);
    gaps.push({ component, at: seconds(begin - from), seconds: seconds(at - begin) });
  };
  for (const event of events) {
    if (event.type !== 'leader' || event.at > to) continue;
    if (event.holder !== '') close(event.component, event.at);
    else if (!since.has(event.component)) since.set(event.component, event.at);
  }
  for (const component of since.keys()) close(component, to);
  return gaps.toSorted((a, b) => a.at - b.at);
}

function restartsIn(events: readonly SimulatedEvent[]): readonly Restarts[] {
  const counts = new Map<string, Restarts>();
  for (const event of events) {
    if (event.type !== 'process' || event.state !== 'started' || event.attempt === 0) continue;
    const { node, pod } = event;
    const key = `${node} ${pod}`;
    counts.set(key, { node, pod, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, restarts]) => restarts);
}

function isAcknowledged({ reply }: RequestRecord): boolean {
  return reply.status === 200;
}

function isRetriable({ reply }: RequestRecord): boolean {
  return reply.retryAfter === true;
}

/** Milliseconds as seconds, to the millisecond. */
function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}
