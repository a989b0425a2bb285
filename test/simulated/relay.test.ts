import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/cluster/host.ts';
import { CONTROL_PLANE_COMPONENTS } from '../../src/control-plane/index.ts';
import { createSimulatedCluster, startTraffic } from '../../src/testing/index.ts';
import { addFlags, killAll, lifeOf, startedCluster, until } from '../support/simulated.ts';
import { keptOn, plan, run, type Change } from '../support/strategy-run.ts';

describe('before the old server is stopped', () => {
  test('a redirect without effect is noticed, since the old server still answers', async () => {
    const cluster = await startedCluster();
    const on = (host: Host): Host => ({ ...host, redirect: { ...host.redirect, set: async () => {} } });
    expect(await run(cluster, { on, components: ['kube-apiserver'] })).toBe('undone');
    expect(
      lifeOf(cluster, 'kube-apiserver').filter(
        ({ pod, state }) => pod === 'kube-apiserver-cp1' && state === 'stopping',
      ),
    ).toEqual([]);
  });

  test('a redirect that leaves the Service out is noticed', async () => {
    const cluster = await startedCluster();
    const on = (host: Host): Host => ({
      ...host,
      redirect: {
        ...host.redirect,
        set: (rule, seconds) => host.redirect.set({ ...rule, from: rule.from.slice(0, 1) }, seconds),
      },
    });
    expect(await run(cluster, { on, components: ['kube-apiserver'] })).toBe('undone');
  });

  test('a firewall that would drop what is redirected refuses the change', async () => {
    const cluster = await startedCluster();
    cluster.node('cp1').setFirewall({ ports: [6443, 2379, 10250], acceptsTranslated: false });
    const { steps, problems } = await plan(cluster);
    expect(steps).toEqual([]);
    expect(problems).toContainEqual(expect.objectContaining({ severity: 'error', code: 'FIREWALL_CLOSED' }));
  });

  test('a firewall that lets in what is redirected is no obstacle', async () => {
    const cluster = await startedCluster();
    cluster.node('cp1').setFirewall({ ports: [6443, 2379, 10250], acceptsTranslated: true });
    const traffic = startTraffic(cluster);
    expect(await run(cluster, { components: ['kube-apiserver'] })).toBe('done');
    expect((await traffic.stop()).failed).toBe(0);
  });

  test('a firewall of which nothing is known is a warning', async () => {
    const cluster = await startedCluster();
    const { steps, problems } = await plan(cluster, { on: (host) => ({ ...host, admits: async () => 'unknown' }) });
    expect(steps.length).toBeGreaterThan(0);
    expect(problems).toContainEqual(expect.objectContaining({ severity: 'warning', code: 'FIREWALL_CLOSED' }));
  });

  test('ports that are taken refuse it', async () => {
    const cluster = await startedCluster();
    const listening =
      (port: number) =>
      (host: Host): Host => ({
        ...host,
        listeners: async () => [...(await host.listeners()), { address: '0.0.0.0', port, pid: 1 }],
      });
    expect((await plan(cluster, { on: listening(6444) })).problems).toContainEqual(
      expect.objectContaining({ code: 'RELAY_PORT_TAKEN' }),
    );
    expect((await plan(cluster, { on: listening(20257) })).problems).toEqual([
      expect.objectContaining({ code: 'STANDBY_PORT_TAKEN', component: 'kube-controller-manager' }),
    ]);
  });

  test('a component without leader election refuses it', async () => {
    const cluster = await startedCluster();
    addFlags(cluster.node('cp1'), 'kube-scheduler', '--leader-elect=false');
    expect((await plan(cluster)).problems).toEqual([
      expect.objectContaining({ code: 'LEADER_ELECTION_OFF', component: 'kube-scheduler' }),
    ]);
  });
});

describe('a run', () => {
  test('that was undone leaves no file behind, and the next one begins anew', async () => {
    const cluster = await startedCluster();
    const on = (host: Host): Host => ({ ...host, redirect: { ...host.redirect, set: async () => {} } });
    expect(await run(cluster, { on })).toBe('undone');
    expect(keptOn(cluster)).toEqual([]);
    expect(await run(cluster, { relayPort: 7444 })).toBe('done');
  });

  test('that is done leaves the manifests where a person finds them, what the way back needs, and nothing else', async () => {
    const cluster = await startedCluster();
    expect(await run(cluster)).toBe('done');
    expect(keptOn(cluster)).toEqual([...CONTROL_PLANE_COMPONENTS.map((name) => `${name}.yaml`), 'pivot.json']);
  });

  test.each(['manifest-edit', 'port-sharing', 'roll'] as const)('of %s leaves nothing behind', async (strategy) => {
    const cluster = await startedCluster();
    expect(await run(cluster, { strategy, components: ['kube-apiserver'] })).toBe('done');
    expect(keptOn(cluster)).toEqual([]);
  });

  test('never brings back a manifest that an earlier run had kept', async () => {
    const cluster = await startedCluster();
    const node = cluster.node('cp1');
    const path = '/etc/kubernetes/manifests/kube-apiserver.yaml';
    node.disk.write('/etc/kubernetes/bootlace/kube-apiserver.yaml', 'an old one');
    const before = node.disk.read(path);
    cluster.failStarts(({ podName }) => (podName.startsWith('self-hosted-') ? 'broken' : undefined));
    expect(await run(cluster, { components: ['kube-apiserver'] })).toBe('undone');
    expect(node.disk.read(path)).toBe(before);
  });

  test('does not touch a manifest that somebody changes meanwhile', async () => {
    const cluster = await startedCluster();
    const { disk } = cluster.node('cp1');
    const path = '/etc/kubernetes/manifests/kube-scheduler.yaml';
    const changed = disk.read(path)!.replace('"100m"', '"110m"');
    const onStep = (name: string): void => {
      if (name.endsWith('kube-scheduler/stop')) disk.write(path, changed);
    };
    expect(await run(cluster, { components: ['kube-scheduler'], onStep })).toBe('undone');
  });

  test('takes back a hosted component that ends again and again', async () => {
    const cluster = await startedCluster();
    const stop = cluster.clock;
    const harass = (): void => {
      for (const { pid, podName } of cluster.node('cp1').processes)
        if (podName.startsWith('self-hosted-kube-scheduler'))
          cluster.clock.at(stop.now() + 700, () => cluster.node('cp1').kill(pid));
      cluster.clock.at(stop.now() + 1000, harass);
    };
    harass();
    expect(await run(cluster, { components: ['kube-scheduler'] })).toBe('undone');
    expect(cluster.node('cp1').pods.map(({ name }) => name)).toContain('kube-scheduler-cp1');
  });
});

describe('a lease changes hands', () => {
  async function gapsOf(
    component: 'kube-controller-manager' | 'kube-scheduler',
    change: Change,
  ): Promise<readonly number[]> {
    const cluster = await startedCluster();
    const traffic = startTraffic(cluster);
    expect(await run(cluster, { ...change, components: [component] })).toBe('done');
    await cluster.clock.sleep(20_000);
    return (await traffic.stop()).leaderGaps.map(({ seconds }) => seconds);
  }

  test('within eight seconds where the holder cannot be told from its name', async () => {
    const gaps = await gapsOf('kube-controller-manager', { on: (host) => ({ ...host, hostName: 'cp1.example.com' }) });
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeLessThan(8);
  });

  test.each(['kube-controller-manager', 'kube-scheduler'] as const)(
    'within five seconds, for %s',
    async (component) => {
      for (const gap of await gapsOf(component, {})) expect(gap).toBeLessThan(5);
    },
  );

  test('within five seconds when the leader was started again just before', async () => {
    const cluster = createSimulatedCluster();
    await cluster.start();
    killAll(cluster.node('cp1'), 'kube-controller-manager');
    await until(
      cluster,
      () =>
        cluster.events.findLast(({ type }) => type === 'leader')?.at === cluster.clock.now() ||
        cluster.clock.now() > 60_000,
    );
    await cluster.clock.sleep(20_000);
    const traffic = startTraffic(cluster);
    expect(await run(cluster, { components: ['kube-controller-manager'] })).toBe('done');
    for (const { seconds } of (await traffic.stop()).leaderGaps) expect(seconds).toBeLessThan(5);
  });
});
