import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openBench, openCluster, type Bench, type Cluster } from '../../bench/cluster/bench.ts';
import { startProbe, type ProbeResult } from '../../bench/cluster/probe/probe.ts';
import type { Status } from '../../bench/cluster/status.ts';
import { CACHE, cluster, commandsOf, KUBERNETES, newState, succeed } from './bench.ts';
import { computerState } from './computer.ts';

describe.skipIf(!inject('hasCluster'))('three control planes and a worker', () => {
  const state = newState();
  let bench: Bench;
  let before: ReturnType<typeof computerState>;
  let three: Cluster;

  const { kubectl, status } = commandsOf(state);

  beforeAll(async () => {
    bench = await openBench(state, CACHE);
    before = computerState(bench);
    await succeed(state, ['up', '--kubernetes', KUBERNETES, '--control-planes', '3', '--workers', '1']);
    three = await openCluster(bench);
  });

  afterAll(async () => void (await cluster(state, ['down', '--all'])));

  test('come up behind a load balancer, each with an API server and a member of etcd', async () => {
    const { api, endpoint, nodes } = await status();
    expect({ api, endpoint }).toEqual({ api: true, endpoint: 'https://10.89.0.1:6443' });
    expect(nodes.map(({ name, api: own, ready }) => `${name} ${own ?? '-'} ${ready}`)).toEqual([
      'cp1 true Ready',
      'cp2 true Ready',
      'cp3 true Ready',
      'w1 - Ready',
    ]);
    const etcd = await kubectl(
      'get',
      'pods',
      '--namespace',
      'kube-system',
      '--selector',
      'component=etcd',
      '--output',
      'name',
    );
    expect(etcd.trim().split('\n')).toHaveLength(3);
  });

  describe('of which one loses its power and gets it back', () => {
    let result: ProbeResult;
    let during: Status;

    beforeAll(async () => {
      const probe = await startProbe(three);
      await sleep(5000);
      await succeed(state, ['power-cut', 'cp1']);
      await sleep(30_000);
      during = await status();
      await succeed(state, ['boot', 'cp1', '--wait']);
      await sleep(10_000);
      result = await probe.stop();
    });

    test('go on serving without it', async () => {
      expect(during.api).toBe(true);
      expect(during.nodes.find(({ name }) => name === 'cp1')).toMatchObject({ power: 'off', api: false });
      const outside = result.report.clients.find(({ vantage, client }) => vantage === 'outside' && client === 'fresh')!;
      expect(outside.acknowledged).toBeGreaterThan(outside.requests * 0.6);
    });

    test('lose no acknowledged write and no change', async () => {
      expect(result.report.totals).toMatchObject({ missing: 0, lost: 0 });
    });

    test('are a client less in that time, and do not count it as failing', async () => {
      const cp1 = result.report.clients.find(({ vantage }) => vantage === 'cp1')!;
      expect(Math.max(...cp1.absences.map(({ ms }) => ms))).toBeGreaterThan(25_000);
    });

    test('have one leader at a time again', async () => {
      for (const { changes } of result.report.leaders) {
        for (const { from, to, gap } of changes) {
          expect(to).not.toBe(from);
          expect(gap).toBeLessThan(60_000);
        }
      }
      expect((await status()).nodes.every(({ ready }) => ready === 'Ready')).toBe(true);
    });
  });

  test('leave this computer as it was', async () => {
    await succeed(state, ['down', '--all']);
    expect(existsSync(state)).toBe(false);
    expect(computerState(bench)).toEqual(before);
  });
});
