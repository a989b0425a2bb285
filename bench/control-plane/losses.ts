import type { Report } from '../cluster/probe/report.ts';

/** How a connection breaks that the other side closes meanwhile. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** What clients lost, in the sense of the promise, one line each. */
export interface Losses {
  readonly lost: readonly string[];
  /**
   * Requests that broke on a kept connection of HTTP/1.1, which a server closes as it stops, with a request on its way or
   * not. Any server does that to any client.
   */
  readonly broken: number;
  /** Milliseconds without a leader, at the worst change of one. */
  readonly leaderGap: number;
}

/** What a probe saw that must not be: a failed request, a write or an event of a watch that is gone. */
export function lossesIn({ clients, watches, totals }: Report): Losses {
  const lost: string[] = [];
  let broken = 0;
  for (const { vantage, client, requests, failed, reasons, missing } of clients) {
    const who = `${vantage} ${client}`;
    if (requests === 0) lost.push(`${who}: it asked for nothing`);
    if (missing !== 0) lost.push(`${who}: ${missing ?? 'unknown'} of its writes are gone`);
    if (client === 'http1' && Object.keys(reasons).every((reason) => BROKEN.has(reason))) broken += failed;
    else if (failed > 0) lost.push(`${who}: ${failed} of ${requests} failed (${Object.keys(reasons).join(', ')})`);
  }
  for (const { vantage, watch, lost: count } of watches)
    if (count !== 0) lost.push(`${vantage} ${watch}: it never saw ${count ?? 'an unknown number of'} changes`);
  return { lost, broken, leaderGap: totals.longestLeaderGap };
}
