import { describe, expect, test } from 'vitest';
import { noAnswer, type Reply } from '../api/requests.ts';
import type { SimulatedEvent } from '../events.ts';
import type { ClientRecord, RequestRecord } from './records.ts';
import { reportOf, type Observations, type TrafficReport } from './report.ts';

const OK: Reply = { status: 200 };
const REFUSED = noAnswer('refused');
const LATER: Reply = { status: 503, code: 'UNAVAILABLE', message: 'x', retryAfter: true };

/** A request that was sent at a second and lasted so many milliseconds. */
function sent(second: number, reply: Reply, milliseconds = 10): RequestRecord {
  return { name: `r${second}`, sentAt: second * 1000, milliseconds, reply };
}

function client(...requests: readonly RequestRecord[]): ClientRecord {
  return { vantage: 'outside', connection: 'fresh', requests };
}

function reported(observations: Partial<Observations> = {}): TrafficReport {
  const { clients = [] } = observations;
  const names = new Set(clients.flatMap(({ requests }) => requests.map(({ name }) => name)));
  return reportOf({
    from: 0,
    to: 100_000,
    clients,
    watch: { seen: names, resumed: 0, gone: 0 },
    present: names,
    events: [],
    ...observations,
  });
}

function outagesOf(...requests: readonly RequestRecord[]): unknown {
  return reported({ clients: [client(...requests)] }).clients[0]!.outages;
}

describe('requests', () => {
  test('fail, or are to be sent again, or are acknowledged', () => {
    const one = client(sent(1, OK, 7), sent(2, REFUSED), sent(3, LATER), sent(4, { status: 403 }), sent(5, OK, 30.4));
    const other = client(sent(6, REFUSED), sent(7, noAnswer('timeout')), sent(8, REFUSED));
    const report = reported({ clients: [one, other] });
    expect(report).toMatchObject({ seconds: 100, requests: 8, failed: 5, retriable: 1, missing: 0 });
    expect(report.clients).toMatchObject([
      { requests: 5, failed: 2, retriable: 1, slowest: 30, reasons: { 403: 1, 'connection refused': 1 } },
      {
        requests: 3,
        failed: 3,
        retriable: 0,
        slowest: 0,
        reasons: { 'connection refused': 2, 'no answer in time': 1 },
      },
    ]);
    expect(Object.keys(report.clients[1]!.reasons)).toEqual(['connection refused', 'no answer in time']);
  });

  test('that were acknowledged and are not there are missing; no others are', () => {
    const clients = [client(sent(1, OK), sent(2, OK), sent(3, REFUSED), sent(4, LATER))];
    expect(reported({ clients, present: new Set(['r1']) }).missing).toBe(1);
    expect(reported({ clients, present: new Set(['r1', 'r2', 'r3']) }).missing).toBe(0);
  });

  test('that were acknowledged and not seen by the watch are lost to it', () => {
    const clients = [client(sent(1, OK), sent(2, OK), sent(3, REFUSED))];
    const watch = { seen: new Set(['r2', 'r9']), resumed: 3, gone: 1 };
    expect(reported({ clients, watch }).watch).toEqual({ seen: 2, lost: 1, resumed: 3, gone: 1 });
  });
});

describe('an outage', () => {
  test('lasts from the first request that fails to the end of the next that does not', () => {
    expect(outagesOf(sent(1, OK), sent(2, REFUSED), sent(3, REFUSED), sent(4, OK, 250), sent(5, OK))).toEqual([
      { at: 2, seconds: 2.25, failed: 2 },
    ]);
  });

  test('is another one after something was acknowledged', () => {
    expect(outagesOf(sent(2, REFUSED), sent(3, OK), sent(4, REFUSED), sent(5, OK))).toEqual([
      { at: 2, seconds: 1.01, failed: 1 },
      { at: 4, seconds: 1.01, failed: 1 },
    ]);
  });

  test('that does not end lasts to the end', () => {
    expect(outagesOf(sent(2, OK), sent(40, REFUSED), sent(50, REFUSED))).toEqual([{ at: 40, seconds: 60, failed: 2 }]);
  });

  test('is no matter of the order in which answers come, nor of those that are to be sent again', () => {
    expect(outagesOf(sent(4, OK), sent(2, noAnswer('timeout'), 10_000), sent(3, LATER))).toEqual([
      { at: 2, seconds: 2.01, failed: 1 },
    ]);
    expect(outagesOf(sent(2, LATER), sent(3, OK))).toEqual([]);
  });

  test('is told from the beginning of the traffic', () => {
    const { clients } = reported({ from: 60_000, clients: [client(sent(62, REFUSED), sent(63, OK))] });
    expect(clients[0]!.outages).toMatchObject([{ at: 2 }]);
  });
});

describe('a gap between two leaders', () => {
  const leader = (second: number, holder: string, component = 'm'): SimulatedEvent => ({
    at: second * 1000,
    type: 'leader',
    component,
    holder,
  });
  const gaps = (...events: readonly SimulatedEvent[]) => reported({ from: 10_000, events }).leaderGaps;

  test('lasts from the end of one to the next', () => {
    expect(gaps(leader(1, 'a'), leader(20, ''), leader(35, 'b'))).toEqual([{ component: 'm', at: 10, seconds: 15 }]);
  });

  test('is counted for each component', () => {
    expect(gaps(leader(30, '', 's'), leader(20, ''), leader(31, 'b', 's'), leader(35, 'b'))).toEqual([
      { component: 'm', at: 10, seconds: 15 },
      { component: 's', at: 20, seconds: 1 },
    ]);
  });

  test('that began before the traffic counts from there, and is none where it ended before', () => {
    expect(gaps(leader(5, ''), leader(12, 'b'))).toEqual([{ component: 'm', at: 0, seconds: 2 }]);
    expect(gaps(leader(5, ''), leader(9, 'b'))).toEqual([]);
  });

  test('that does not end lasts to the end', () => {
    expect(gaps(leader(40, ''))).toEqual([{ component: 'm', at: 30, seconds: 60 }]);
    expect(gaps(leader(101, ''))).toEqual([]);
  });
});

test('containers that were started again are counted by Pod, within the time of the traffic', () => {
  const started = (second: number, pod: string, attempt: number): SimulatedEvent => ({
    at: second * 1000,
    type: 'process',
    node: 'n',
    pid: 1,
    program: 'p',
    pod,
    podUid: pod,
    attempt,
    state: 'started',
  });
  const events = [
    started(5, 'a', 1),
    started(20, 'b', 0),
    started(30, 'b', 1),
    started(40, 'b', 2),
    started(50, 'a', 2),
  ];
  expect(reported({ from: 10_000, events }).restarts).toEqual([
    { node: 'n', pod: 'a', count: 1 },
    { node: 'n', pod: 'b', count: 2 },
  ]);
});
