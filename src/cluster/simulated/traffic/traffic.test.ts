import { expect, test } from 'vitest';
import { killAll, lifeOf, manifestPath, startedCluster, until } from '../../../../test/support/simulated.ts';
import { startTraffic } from './traffic.ts';

const SERVER = 'kube-apiserver';

test('nothing fails while nothing happens, and the watch sees every write', async () => {
  const cluster = await startedCluster({ workers: 2 });
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(30_000);
  const report = await traffic.stop();
  expect(report).toMatchObject({
    seconds: 30,
    failed: 0,
    retriable: 0,
    missing: 0,
    watch: { lost: 0, gone: 0 },
    leaderGaps: [],
    restarts: [],
  });
  expect(report.clients.map(({ vantage, connection }) => `${vantage} ${connection}`)).toEqual([
    'outside fresh',
    'outside kept',
    'cp1 fresh',
    'w1 fresh',
    'w2 fresh',
  ]);
  expect(report.clients.map(({ requests }) => requests)).toEqual([600, 150, 600, 600, 600]);
  expect(report.watch.seen).toBe(report.requests);
});

test('what is sent while nothing listens fails, and nothing else does', async () => {
  const cluster = await startedCluster();
  // So that what is sent as soon as it listens is answered well.
  const traffic = startTraffic(cluster, { interval: 100 });
  await cluster.clock.sleep(5000);
  const from = cluster.clock.now();
  killAll(cluster.node('cp1'), SERVER);
  await cluster.clock.sleep(60_000);
  const report = await traffic.stop();
  const listening = lifeOf(cluster, SERVER, from).find(({ state }) => state === 'listening')!;
  const { reasons, outages, failed } = report.clients[0]!;
  expect(reasons['connection refused']).toBeGreaterThanOrEqual(Math.floor((listening.at - from) / 100));
  expect(reasons['connection refused']).toBeLessThanOrEqual(Math.ceil((listening.at - from) / 100));
  // Until it knows who may do what it refuses everybody, also those who have waited.
  expect(Object.keys(reasons).toSorted()).toEqual(['403', 'connection refused']);
  expect(outages).toHaveLength(1);
  expect(outages[0]!.failed).toBe(failed);
  expect(outages[0]!.at).toBeCloseTo(5, 0);
  expect(report.missing).toBe(0);
  expect(report.watch.lost).toBe(0);
  expect(report.restarts).toEqual([{ node: 'cp1', pod: 'kube-apiserver-cp1', count: 1 }]);
});

test('a client on a machine without power sends nothing', async () => {
  const cluster = await startedCluster();
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(5000);
  cluster.node('w1').cutPower();
  await cluster.clock.sleep(20_000);
  const { clients } = await traffic.stop();
  const own = clients.find(({ vantage }) => vantage === 'w1')!;
  expect(own.requests).toBeLessThanOrEqual(101);
  expect(clients.find(({ vantage }) => vantage === 'cp1')!.requests).toBe(500);
});

test('a kept connection is asked to come again by a server that ends, a fresh one is refused', async () => {
  const cluster = await startedCluster();
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(5000);
  cluster.node('cp1').disk.remove(manifestPath(SERVER));
  await cluster.clock.sleep(10_000);
  const [fresh, kept] = (await traffic.stop()).clients;
  expect(fresh!.retriable).toBe(0);
  expect(fresh!.reasons['connection refused']).toBeGreaterThan(150);
  expect(kept!.retriable).toBeGreaterThanOrEqual(1);
  expect(kept!.retriable).toBeLessThan(5);
});

test('a leader that vanishes leaves a gap of about the duration of its lease', async () => {
  const cluster = await startedCluster({ controlPlanes: 3 });
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(1000);
  const holder = cluster.find('Lease', 'kube-system', 'kube-controller-manager')!.spec.holderIdentity!;
  const node = cluster.node(holder.split('_')[0]!);
  node.disk.remove(manifestPath('kube-controller-manager'));
  killAll(node, 'kube-controller-manager');
  await cluster.clock.sleep(60_000);
  const { leaderGaps, failed } = await traffic.stop();
  expect(leaderGaps).toMatchObject([{ component: 'kube-controller-manager', at: 1 }]);
  expect(leaderGaps[0]!.seconds).toBeGreaterThan(13);
  expect(leaderGaps[0]!.seconds).toBeLessThan(19.5);
  expect(failed).toBe(0);
});

test('a scheduler that gives its lease back leaves a short gap, and no other one', async () => {
  for (const seed of [1, 2, 3, 4]) {
    const cluster = await startedCluster({ controlPlanes: 3, seed, timings: { componentEnds: [4000, 4000] } });
    const traffic = startTraffic(cluster, { interval: 1000 });
    const holder = cluster.find('Lease', 'kube-system', 'kube-scheduler')!.spec.holderIdentity!;
    cluster.node(holder.split('_')[0]!).disk.remove(manifestPath('kube-scheduler'));
    await cluster.clock.sleep(30_000);
    const { leaderGaps } = await traffic.stop();
    expect(leaderGaps).toHaveLength(1);
    expect(leaderGaps[0]!.seconds).toBeLessThan(4.5);
  }
});

test('a watch that is cut goes on where it was, or reads everything anew on a server that has started since', async () => {
  const cluster = await startedCluster();
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(2000);
  killAll(cluster.node('cp1'), SERVER);
  await cluster.clock.sleep(30_000);
  expect((await traffic.stop()).watch).toMatchObject({ lost: 0, gone: 1 });
  const ha = await startedCluster({ controlPlanes: 3 });
  const others = startTraffic(ha);
  await ha.clock.sleep(2000);
  for (const name of ['cp1', 'cp2', 'cp3']) {
    killAll(ha.node(name), SERVER);
    await ha.clock.sleep(30_000);
  }
  const { watch, missing } = await others.stop();
  expect({ lost: watch.lost, missing }).toEqual({ lost: 0, missing: 0 });
  expect(watch.resumed).toBeGreaterThanOrEqual(1);
});

test('what has no answer when the traffic ends counts as failed', async () => {
  const cluster = await startedCluster({ timings: { serverAnswers: [9000, 9000] } });
  const node = cluster.node('cp1');
  killAll(node, SERVER);
  await until(cluster, () => node.listeners.some(({ port }) => port === 6443));
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(5000);
  expect(traffic.report().requests).toBeLessThan(100);
  const { requests, failed, clients } = await traffic.stop();
  expect(requests).toBe(100 + 25 + 100 + 100);
  expect(failed).toBe(requests);
  expect(clients[0]).toMatchObject({ failed: 100, reasons: { 'no answer in time': 100 }, outages: [{ failed: 100 }] });
  // What comes later changes nothing any more.
  await cluster.clock.sleep(30_000);
  expect(traffic.report()).toMatchObject({ requests, failed });
});

test('several traffics at once or one after the other know nothing of each other', async () => {
  const cluster = await startedCluster();
  const [first, second] = [startTraffic(cluster), startTraffic(cluster)];
  await cluster.clock.sleep(5000);
  const reports = [await first.stop(), await second.stop()];
  const third = startTraffic(cluster);
  await cluster.clock.sleep(5000);
  reports.push(await third.stop());
  for (const report of reports) {
    expect(report).toMatchObject({ failed: 0, missing: 0, watch: { lost: 0, seen: report.requests } });
    expect(report.requests).toBeGreaterThanOrEqual(325);
  }
});

test('a report may be had while the traffic goes on', async () => {
  const cluster = await startedCluster();
  const traffic = startTraffic(cluster);
  await until(cluster, () => traffic.report().requests > 100);
  const { requests } = traffic.report();
  await cluster.clock.sleep(1000);
  expect(traffic.report().requests).toBeGreaterThan(requests);
  const { seconds } = await traffic.stop();
  await cluster.clock.sleep(1000);
  expect(traffic.report().requests).toBe((await traffic.stop()).requests);
  expect(seconds).toBeGreaterThan(1);
});
