import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openBench, openCluster, type Cluster } from '../../bench/cluster/bench.ts';
import { runOnNode } from '../../bench/cluster/machines.ts';
import type { ProbeResult } from '../../bench/cluster/probe/probe.ts';
import { bootlaceOn, buildBinary, install, start, statusOn, type Ran } from '../../bench/control-plane/bootlace.ts';
import { lossesIn } from '../../bench/control-plane/losses.ts';
import { remainsOn } from '../../bench/control-plane/remains.ts';
import { watched } from '../../bench/control-plane/watched.ts';
import { CACHE, cluster, commandsOf, eventually, KUBERNETES, newState, succeed } from './bench.ts';

/** Longest time that a test may take, in milliseconds: a change and its way back, with what is measured before and after. */
const LONG = 15 * 60_000;

/**
 * That clients lost nothing. A server closes kept connections of HTTP/1.1 as it stops, with a request on its way or not: one
 * or two may break. A lease that had to run out would cost 15 s; 5 s is promised, on a machine that has time.
 */
function expectNothingLost({ report }: ProbeResult): void {
  const { lost, broken, leaderGap } = lossesIn(report);
  expect(lost).toEqual([]);
  expect(broken).toBeLessThanOrEqual(2);
  expect(leaderGap).toBeLessThanOrEqual(8000);
}

const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

describe.skipIf(!inject('hasCluster'))('the control plane of a real node', () => {
  const state = newState();
  const { kubectl } = commandsOf(state);
  let one: Cluster;

  beforeAll(async () => {
    const bench = await openBench(state, CACHE);
    await succeed(state, ['up', '--kubernetes', KUBERNETES]);
    one = await openCluster(bench);
    await install(one, 'cp1', buildBinary());
  });

  afterAll(async () => {
    await cluster(state, ['down', '--all']);
  });

  const leftovers = (): Promise<readonly string[]> => remainsOn(one, 'cp1');

  /** Runs a command while clients write, and what they saw. */
  async function changed(...args: readonly string[]): Promise<Ran & { readonly seen: ProbeResult }> {
    const { result, seen } = await watched(one, () => bootlaceOn(one, 'cp1', ...args));
    return { ...result, seen };
  }

  const argvOf = (program: string): Promise<string> =>
    runOnNode(one, 'cp1', ['bash', '-c', `tr '\\0' '\\n' < /proc/$(pidof ${program})/cmdline`]);

  test('is looked at, and nothing is left to do', async () => {
    const status = await statusOn(one, 'cp1');
    expect(status).toMatchObject({ node: 'cp1', api: 'serves', next: [], unseen: [] });
    expect(status.components.map(({ servedBy }) => servedBy)).toEqual(['static Pod', 'static Pod', 'static Pod']);
  });

  test('is planned without changing anything', async () => {
    const { status, stdout, stderr } = await bootlaceOn(one, 'cp1', 'plan', '-o', 'json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'ready', problems: [] });
    expect(await leftovers()).toEqual([]);
  });

  test('gets another flag, and no request fails', { timeout: LONG }, async () => {
    const { status, stderr, seen } = await changed('roll', '--set-flag', 'v=3', '--no-snapshot');
    expect(status, stderr).toBe(0);
    expectNothingLost(seen);
    expect(await argvOf('kube-apiserver')).toContain('--v=3\n');
    expect(await leftovers()).toEqual([]);
  });

  test('is not touched by a flag that does not work, and says so', { timeout: LONG }, async () => {
    const before = await runOnNode(one, 'cp1', ['pidof', 'kube-apiserver']);
    const { status, stdout, seen } = await changed('roll', '--set-flag', 'no-such-flag=1');
    expect(status).toBe(5);
    expect(stdout).toContain('cp1/kube-apiserver/relay');
    expectNothingLost(seen);
    expect(await runOnNode(one, 'cp1', ['pidof', 'kube-apiserver'])).toBe(before);
    expect(await leftovers()).toEqual([]);
  });

  test(
    'is hosted by the cluster, keeps people from deleting it, and goes back, and no request fails',
    { timeout: LONG },
    async () => {
      const pivot = await changed('pivot', '--accept-reboot-risk');
      expect(pivot.status, pivot.stderr).toBe(0);
      expectNothingLost(pivot.seen);
      const status = await statusOn(one, 'cp1');
      expect(status.components.map(({ servedBy }) => servedBy)).toEqual(['hosted Pod', 'hosted Pod', 'hosted Pod']);
      expect(status).toMatchObject({ isPivoted: true, next: [] });
      for (const component of COMPONENTS) {
        const names = await kubectl('-n', 'kube-system', 'get', 'pods', '-o', 'name');
        const name = names.split('\n').find((one) => one.startsWith(`pod/self-hosted-${component}`))!;
        const refused = await cluster(state, ['kubectl', '-n', 'kube-system', 'delete', name, '--wait=false']);
        expect(refused.status).toBe(1);
        expect(refused.stderr).toContain('bootlace control-plane rollback');
      }
      const rollback = await changed('rollback');
      expect(rollback.status, rollback.stderr).toBe(0);
      expectNothingLost(rollback.seen);
      expect(await leftovers()).toEqual([]);
      expect(await statusOn(one, 'cp1')).toMatchObject({ isPivoted: false, next: [] });
    },
  );

  test(
    'serves again by itself after a power cut while its server was away, and the change goes on',
    { timeout: LONG },
    async () => {
      const running = await start(one, 'cp1', ['roll', '--restart', '--no-snapshot', '--progress', 'lines']);
      await running.says(/cp1\/kube-apiserver\/stop/);
      await sleep(5000);
      await succeed(state, ['power-cut', 'cp1']);
      await running.ended;
      await succeed(state, ['boot', 'cp1']);
      // Nobody has done anything but switch it on. It takes 6 s, and many times that on a computer that does other things.
      await eventually(async () => expect(await kubectl('get', '--raw', '/readyz')).toBe('ok'), 180_000);
      expect(await statusOn(one, 'cp1')).toMatchObject({
        helpers: ['kube-apiserver-relay-cp1'],
        run: { verb: 'roll' },
      });
      expect((await bootlaceOn(one, 'cp1', 'resume')).status).toBe(0);
      expect(await leftovers()).toEqual([]);
    },
  );
});
