import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeApi, type FakeApi } from '../../../../test/support/fake-api.ts';
import { needs } from '../../../../test/support/needs.ts';
import { readSettings } from '../../settings.ts';
import { AGENT_FILES, parseRecords, type AgentConfiguration } from '../records.ts';
import { reportOf, type ClientReport, type Report } from '../report.ts';
import { runAgent } from './agent.ts';

const NAMESPACE = 'n';

describe.skipIf(!needs('openssl'))('an agent', { timeout: 30_000 }, () => {
  let api: FakeApi;
  let folder: string;

  beforeEach(async () => {
    api = await startFakeApi();
    folder = mkdtempSync(join(tmpdir(), 'bootlace-agent-'));
  });
  afterEach(async () => {
    await api.stop().catch(() => {});
    rmSync(folder, { recursive: true });
  });

  /** Lets an agent run while something happens, and says what it saw. */
  async function during(
    happens: () => Promise<void>,
    configuration: Partial<AgentConfiguration> = {},
  ): Promise<Report> {
    const whole: AgentConfiguration = {
      name: 'here',
      host: '127.0.0.1',
      port: api.port,
      login: api.login,
      namespace: NAMESPACE,
      writers: ['fresh', 'http1', 'http2'],
      watches: ['busy'],
      leases: false,
      interval: 50,
      timeout: 1000,
      quietInterval: 200,
      catchUp: 600,
      ...configuration,
    };
    writeFileSync(join(folder, AGENT_FILES.configuration), JSON.stringify(whole));
    const start = Date.now();
    const agent = runAgent(folder);
    await sleep(400);
    await happens();
    await sleep(500);
    const end = Date.now();
    writeFileSync(join(folder, AGENT_FILES.stopWriting), '');
    await sleep(100);
    writeFileSync(join(folder, AGENT_FILES.stop), '');
    await agent;
    const records = parseRecords(readFileSync(join(folder, AGENT_FILES.records), 'utf8'));
    return reportOf({
      settings: readSettings({}),
      start,
      end,
      vantages: [{ ...whole, records, isDone: existsSync(join(folder, AGENT_FILES.done)) }],
      present: api.marks(),
      lives: [],
      containersBefore: new Map(),
      containersAfter: new Map(),
    });
  }

  function clientOf(report: Report, client: string): ClientReport {
    return report.clients.find((one) => one.client === client)!;
  }

  test('that is left alone sees no failure, and its watch sees every write', async () => {
    const report = await during(() => sleep(300));
    expect(report.totals).toMatchObject({ failed: 0, retriable: 0, missing: 0, lost: 0 });
    for (const client of ['fresh', 'http1', 'http2']) expect(clientOf(report, client).acknowledged).toBeGreaterThan(20);
    expect(report.watches[0]!.seen).toBe(report.totals.requests);
  });

  test('sees a server that is away for 300 ms, with every client', async () => {
    const report = await during(async () => {
      await api.stop();
      await sleep(300);
      await api.start();
    });
    for (const client of ['fresh', 'http1', 'http2']) {
      const { failed, outages, missing } = clientOf(report, client);
      expect(failed, client).toBeGreaterThanOrEqual(4);
      expect(outages, client).toHaveLength(1);
      expect(outages[0]!.ms, client).toBeGreaterThanOrEqual(200);
      expect(outages[0]!.ms, client).toBeLessThan(2000);
      expect(missing, client).toBe(0);
    }
    expect(report.totals.lost).toBe(0);
    expect(report.watches[0]!.resumed).toBeGreaterThan(0);
  });

  test('sees a server that hangs for 300 ms as a stall, without a failure', async () => {
    const report = await during(async () => {
      api.pause();
      await sleep(350);
      api.proceed();
    });
    expect(report.totals.failed).toBe(0);
    for (const client of ['fresh', 'http1', 'http2']) {
      const { stalls } = clientOf(report, client);
      expect(stalls.length, client).toBeGreaterThan(0);
      expect(Math.max(...stalls.map(({ ms }) => ms)), client).toBeGreaterThanOrEqual(300);
    }
  });

  test('counts an answer that asks to come back apart, and one that does not as a failure', async () => {
    const report = await during(async () => {
      api.answer({ status: 503, retryAfter: true });
      await sleep(200);
      api.answer({ status: 429, retryAfter: true });
      await sleep(200);
      api.answer({ status: 503 });
      await sleep(200);
      api.answer(undefined);
    });
    const { failed, retriable, reasons } = clientOf(report, 'fresh');
    expect(retriable).toBeGreaterThanOrEqual(6);
    expect(failed).toBeGreaterThanOrEqual(3);
    expect(Object.keys(reasons)).toEqual(['503']);
  });

  test('counts a write as failed when no answer comes in time', async () => {
    const report = await during(
      async () => {
        api.pause();
        await sleep(400);
        api.proceed();
      },
      { timeout: 150, writers: ['fresh'] },
    );
    expect(clientOf(report, 'fresh').reasons).toEqual({ timeout: expect.any(Number) });
  });

  test('sends again over a new HTTP/2 connection what the server did not take, as Go does', async () => {
    const report = await during(
      async () => {
        api.refuseStreams(3);
        await sleep(300);
      },
      { writers: ['http2'] },
    );
    const { failed, resent } = clientOf(report, 'http2');
    expect(failed).toBe(0);
    expect(resent).toBeGreaterThan(0);
  });

  test('resumes a watch once for each time that it was away, however long', async () => {
    const report = await during(async () => {
      await api.stop();
      await sleep(1200);
      await api.start();
      await sleep(400);
    });
    // Once after the outage, and once at the end, when it is renewed to see the last writes.
    expect(report.watches[0]).toMatchObject({ resumed: 2, relisted: 0, gone: 0, lost: 0 });
  });

  test('never has two writes to one object under way, however long each takes', async () => {
    const report = await during(async () => {
      api.pause();
      await sleep(600);
      api.proceed();
    });
    expect(api.mostAtOnce()).toBe(1);
    expect(report.totals.failed).toBe(0);
  });

  test('finds an acknowledged write that is gone', async () => {
    const report = await during(() => {
      api.loseMark([...api.marks()].find((mark) => mark.includes('fresh'))!);
      return Promise.resolve();
    });
    expect(report.totals).toMatchObject({ missing: 1, failed: 0 });
  });

  test('finds a change that its watch never sees, not even over a new connection', async () => {
    api.hide('here-0-fresh-0-15/15');
    const report = await during(() => sleep(500), { writers: ['fresh'] });
    expect(report.totals).toMatchObject({ lost: 1, missing: 0, failed: 0 });
  });

  test('watches a quiet resource apart from the busy one', async () => {
    const report = await during(() => sleep(300), { writers: ['fresh', 'quiet'], watches: ['busy', 'quiet'] });
    const [busy, quiet] = report.watches;
    expect(busy!.seen).toBe(clientOf(report, 'fresh').acknowledged);
    expect(quiet!.seen).toBe(clientOf(report, 'quiet').acknowledged);
    expect(report.totals.lost).toBe(0);
  });

  test('reads everything again when the server has forgotten where its watch was, and loses nothing', async () => {
    const report = await during(async () => {
      await api.stop();
      api.forget();
      await sleep(300);
      await api.start();
    });
    const [busy] = report.watches;
    expect(busy).toMatchObject({ lost: 0 });
    expect(busy!.gone).toBeGreaterThanOrEqual(1);
    expect(busy!.relisted).toBe(busy!.gone);
    expect(busy!.resumed).toBe(1);
  });

  test('follows the leases of controller-manager and scheduler', async () => {
    const lease = (holderIdentity: string, time: string): object => ({
      holderIdentity,
      acquireTime: time,
      renewTime: time,
    });
    api.setLease('kube-scheduler', lease('n_1', '2026-01-01T00:00:00.000000Z'));
    const report = await during(
      () => {
        api.setLease('kube-scheduler', lease('n_2', '2026-01-01T00:00:07.000000Z'));
        api.setLease('someone-else', lease('x', '2026-01-01T00:00:00.000000Z'));
        return Promise.resolve();
      },
      { leases: true, writers: ['fresh'] },
    );
    expect(report.leaders).toMatchObject([
      {
        component: 'kube-scheduler',
        holder: 'n_1',
        changes: [{ from: 'n_1', to: 'n_2', gap: 7000, isProcessEndSeen: false }],
      },
    ]);
  });

  test('that starts again in the same folder writes under other names', async () => {
    const first = await during(() => Promise.resolve(), { writers: ['fresh'] });
    rmSync(join(folder, AGENT_FILES.stopWriting));
    rmSync(join(folder, AGENT_FILES.stop));
    const second = await during(() => Promise.resolve(), { writers: ['fresh'] });
    expect(api.marks().size).toBeGreaterThanOrEqual(first.totals.requests + second.totals.requests);
    expect(second.totals).toMatchObject({ failed: 0, missing: 0, lost: 0 });
  });
});
