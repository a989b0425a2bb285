import { expect, test } from 'vitest';
import type { Report } from '../cluster/probe/report.ts';
import { lossesIn } from './losses.ts';

const CLIENT = {
  vantage: 'outside',
  client: 'fresh',
  requests: 100,
  acknowledged: 100,
  retriable: 0,
  failed: 0,
  reasons: {},
  resent: 0,
  missing: 0,
  latency: { median: 1, p99: 2, max: 3 },
  outages: [],
  stalls: [],
  absences: [],
} as const;
const WATCH = { vantage: 'outside', watch: 'busy', seen: 100, lost: 0, resumed: 0, relisted: 0, gone: 0 } as const;

function reportOf(client: object, watch: object = {}): Report {
  return {
    clients: [{ ...CLIENT, ...client }],
    watches: [{ ...WATCH, ...watch }],
    totals: { longestLeaderGap: 1200 },
  } as unknown as Report;
}

test('nothing is lost where nothing failed', () => {
  expect(lossesIn(reportOf({}))).toEqual({ lost: [], broken: 0, leaderGap: 1200 });
});

test.each([
  [{ failed: 1, reasons: { ECONNREFUSED: 1 } }, 'outside fresh: 1 of 100 failed (ECONNREFUSED)'],
  [{ client: 'http1', failed: 1, reasons: { 500: 1 } }, 'outside http1: 1 of 100 failed (500)'],
  [{ missing: 2 }, 'outside fresh: 2 of its writes are gone'],
  [{ missing: null }, 'outside fresh: unknown of its writes are gone'],
  [{ requests: 0 }, 'outside fresh: it asked for nothing'],
])('%j is a loss', (client, said) => {
  expect(lossesIn(reportOf(client)).lost).toEqual([said]);
});

test('a change that a watch never saw is a loss', () => {
  expect(lossesIn(reportOf({}, { lost: 3 })).lost).toEqual(['outside busy: it never saw 3 changes']);
});

test('a kept connection of HTTP/1.1 that the server closed is counted apart, and a fresh one is not', () => {
  const reasons = { ECONNRESET: 1 };
  expect(lossesIn(reportOf({ client: 'http1', failed: 1, reasons }))).toMatchObject({ lost: [], broken: 1 });
  expect(lossesIn(reportOf({ failed: 1, reasons })).lost).toHaveLength(1);
});
