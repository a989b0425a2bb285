import { describe, expect, test } from 'vitest';
import { readSettings } from '../settings.ts';
import { outcomeOf, parseRecords, type AgentRecord, type RequestRecord } from './records.ts';
import { reportOf, type Observations, type Report } from './report.ts';
import { timelineText } from './timeline.ts';

const START = 1_000_000;

function request(at: number, rest: Partial<RequestRecord> = { status: 200 }): RequestRecord {
  return { kind: 'request', client: 'fresh', write: `o/${at}`, at: START + at, ms: 5, ...rest };
}

/** A report of ten seconds from one place, with whatever clients and watches have records. */
function report(records: readonly AgentRecord[], rest: Partial<Observations> = {}, isDone = true): Report {
  const writers = [...new Set(records.flatMap((one) => (one.kind === 'request' ? [one.client] : [])))];
  const watches = [...new Set(records.flatMap((one) => (one.kind === 'watch' ? [one.watch] : [])))];
  return reportOf({
    settings: readSettings({}),
    start: START,
    end: START + 10_000,
    vantages: [{ name: 'outside', writers, watches, records, isDone }],
    present: new Set(records.flatMap((one) => (one.kind === 'request' ? [one.write] : []))),
    lives: [],
    containersBefore: new Map(),
    containersAfter: new Map(),
    ...rest,
  });
}

const steady = (from: number, to: number, rest?: Partial<RequestRecord>): RequestRecord[] =>
  Array.from({ length: (to - from) / 50 }, (_, index) => request(from + index * 50, rest));

test('every write has one outcome', () => {
  expect(outcomeOf({ status: 201 })).toBe('acknowledged');
  expect(outcomeOf({ status: 429, retryAfter: true })).toBe('retriable');
  expect(outcomeOf({ status: 503, retryAfter: true })).toBe('retriable');
  expect(outcomeOf({ status: 503 })).toBe('failed');
  expect(outcomeOf({ status: 403, retryAfter: true })).toBe('failed');
  expect(outcomeOf({})).toBe('failed');
});

describe('an outage', () => {
  test('goes from the first failure to the next acknowledged write', () => {
    const records = [...steady(0, 1000), ...steady(1000, 1300, { error: 'ECONNREFUSED' }), ...steady(1300, 10_000)];
    const [client] = report(records).clients;
    expect(client).toMatchObject({ requests: 200, acknowledged: 194, failed: 6, reasons: { ECONNREFUSED: 6 } });
    expect(client!.outages).toEqual([{ at: 1, ms: 300, failed: 6 }]);
    expect(client!.stalls).toEqual([{ at: 0.955, ms: 350 }]);
    expect(client!.absences).toEqual([]);
  });

  test('that lasts to the end is counted', () => {
    const [client] = report([...steady(0, 500), ...steady(500, 700, { error: 'timeout', ms: 2000 })]).clients;
    expect(client!.outages).toEqual([{ at: 0.5, ms: 2150, failed: 4 }]);
  });

  test('is not over when the server asks to come back', () => {
    const records = [request(0, { error: 'x' }), request(50, { status: 503, retryAfter: true }), request(100)];
    expect(report(records).clients[0]!.outages).toEqual([{ at: 0, ms: 100, failed: 1 }]);
  });

  test('is two when writes got through in between', () => {
    const records = [request(0, { error: 'x' }), request(50), request(100, { status: 403 }), request(150)];
    expect(report(records).clients[0]!.outages).toHaveLength(2);
  });
});

describe('a client that is off', () => {
  test('is absent, and neither failing nor stalled', () => {
    const [client] = report([...steady(0, 1000), ...steady(8000, 10_000)]).clients;
    expect(client).toMatchObject({ failed: 0, absences: [{ at: 0.95, ms: 7050 }], stalls: [] });
  });

  test('to the end, or from the beginning, is absent', () => {
    expect(report(steady(0, 1000)).clients[0]!.absences).toEqual([{ at: 0.95, ms: 9050 }]);
    expect(report(steady(9000, 10_000)).clients[0]!.absences).toEqual([{ at: 0, ms: 9000 }]);
  });

  test('all the time is in the report all the same', () => {
    const vantages = [{ name: 'w1', writers: ['fresh'] as const, watches: [], records: [], isDone: false }];
    const [client] = report([], { vantages }).clients;
    expect(client).toMatchObject({ vantage: 'w1', requests: 0, absences: [{ at: 0, ms: 10_000 }] });
  });
});

test('a server that hangs to the end is a stall', () => {
  const records = [...steady(0, 5000), ...steady(5000, 10_000, { error: 'timeout' })];
  expect(report(records).clients[0]!.stalls).toEqual([{ at: 4.955, ms: 5045 }]);
});

test('what nobody could ask is unknown, and is not called nothing', () => {
  const list: AgentRecord = { kind: 'watch', watch: 'busy', at: START, event: 'list' };
  const { totals, clients, watches } = report([request(0), list], { present: undefined }, false);
  expect(totals.missing).toBe(null);
  expect(clients[0]!.missing).toBe(null);
  expect(watches[0]!.lost).toBe(null);
});

test('writes before the beginning and from the end on do not count', () => {
  expect(report([request(-50), request(0), request(9950), request(10_000)]).totals.requests).toBe(2);
});

test('an acknowledged write that is not there at the end is missing, a failed one is not', () => {
  const records = [request(0), request(50, { error: 'timeout' })];
  expect(report(records, { present: new Set() }).totals).toMatchObject({ missing: 1 });
});

describe('a watch', () => {
  const watch = (event: 'list' | 'resume' | 'gone' | 'end'): AgentRecord => ({
    kind: 'watch',
    watch: 'busy',
    at: START,
    event,
  });

  test('loses what it never saw, and counts how often it had to go on', () => {
    const records: AgentRecord[] = [
      request(0),
      request(50),
      request(100, { error: 'x' }),
      { kind: 'start', at: START },
      watch('list'),
      watch('end'),
      watch('resume'),
      watch('gone'),
      watch('list'),
      { kind: 'seen', watch: 'busy', at: START, writes: ['o/0', 'somebody/else'] },
    ];
    expect(report(records).watches).toEqual([
      { vantage: 'outside', watch: 'busy', seen: 1, lost: 1, resumed: 1, relisted: 1, gone: 1 },
    ]);
  });

  test('of the quiet resource waits for quiet writes alone', () => {
    const quiet: AgentRecord[] = [
      request(0),
      request(10, { client: 'quiet', status: 200 }),
      { kind: 'watch', watch: 'quiet', at: START, event: 'list' },
      { kind: 'seen', watch: 'quiet', at: START, writes: ['o/10'] },
    ];
    expect(report(quiet).watches).toMatchObject([{ watch: 'quiet', seen: 1, lost: 0 }]);
  });

  test('of an agent that starts again has not read again for that', () => {
    const start: AgentRecord = { kind: 'start', at: START };
    expect(report([start, watch('list'), start, watch('list')]).watches).toMatchObject([{ relisted: 0 }]);
  });
});

test('half a line of an agent that was killed says nothing', () => {
  expect(parseRecords(`${JSON.stringify(request(0))}\n{"kind":"requ`)).toHaveLength(1);
  expect(parseRecords('{"a":{}\n')).toEqual([]);
});

test('the timeline shows the worst of each moment, and what to know in words', () => {
  const records = [
    ...steady(0, 5000),
    ...steady(5000, 6000, { error: 'x' }),
    ...steady(6000, 7000, { status: 503, retryAfter: true }),
    ...steady(7000, 8000, { status: 200, ms: 400 }),
  ];
  const lease = (at: number, holder: string): AgentRecord => ({
    kind: 'lease',
    at: START + at,
    name: 'kube-scheduler',
    holder,
    acquired: START + at,
    renewed: START + at,
  });
  const all = [...records, lease(0, 'cp1_a'), lease(4000, 'cp1_b')];
  const one = report(all, { present: new Set(records.map(({ write }) => write)) });
  const vantages = [{ name: 'outside', writers: ['fresh'] as const, watches: [], records: all, isDone: true }];
  const text = timelineText(one, { vantages, start: START }, 39);
  expect(text.split('\n').slice(0, 3)).toEqual([
    '                   0s        5s',
    'outside fresh      ··········██▒▒∘∘    ',
    'scheduler          █████████···········',
  ]);
  expect(text).toContain('kube-scheduler: new leader at 4 s after 4000 ms without');
  expect(text).toContain('20 of 160 writes failed in 10 s, 0 acknowledged ones are missing, watches lost 0 changes');
});
