import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openBench, openCluster, type Bench, type Cluster } from '../../bench/cluster/bench.ts';
import { enterNode, runOnNode, writeOnNode } from '../../bench/cluster/machines.ts';
import { BUSYBOX } from '../../bench/cluster/images.ts';
import { startProbe, type ProbeResult } from '../../bench/cluster/probe/probe.ts';
import { SCRIPT_CASES } from '../golden/cases.ts';
import { bootlace } from '../support/command.ts';
import { parseEnvironment } from '../support/node.ts';
import { expectReceived, scriptOf } from '../support/received.ts';
import { CACHE, cluster, commandsOf, eventually, killAt, KUBERNETES, newState, succeed } from './bench.ts';
import { computerState } from './computer.ts';

const MANIFESTS = '/etc/kubernetes/manifests';

describe.skipIf(!inject('hasCluster'))('one control plane and a worker', () => {
  const state = newState();
  let bench: Bench;
  let before: ReturnType<typeof computerState>;
  let one: Cluster;

  const { kubectl, status } = commandsOf(state);

  beforeAll(async () => {
    bench = await openBench(state, CACHE);
    before = computerState(bench);
    await succeed(state, ['up', '--kubernetes', KUBERNETES]);
    one = await openCluster(bench);
  });

  // Whatever failed, nothing stays.
  afterAll(async () => void (await cluster(state, ['down', '--all'])));

  test('come up, and every node serves', async () => {
    expect(await status()).toMatchObject({
      api: true,
      nodes: [
        { name: 'cp1', role: 'control-plane', power: 'on', api: true, ready: 'Ready' },
        { name: 'w1', role: 'worker', power: 'on', ready: 'Ready' },
      ],
    });
    const names = (await kubectl('get', 'pods', '--namespace', 'kube-system', '--output', 'name')).trim().split('\n');
    expect(names.toSorted()).toEqual(
      ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((name) => `pod/${name}-cp1`),
    );
  });

  test('are of the version that was asked for, and their nodes have nothing of this computer', async () => {
    const { serverVersion } = JSON.parse(await kubectl('version', '--output', 'json')) as {
      serverVersion: { gitVersion: string };
    };
    expect(serverVersion.gitVersion).toBe(KUBERNETES);
    const seen = await succeed(state, [
      'exec',
      'w1',
      '--',
      'bash',
      '-c',
      'hostname; ls /home /root /var/lib/etcd 2>&1; touch /usr/mine',
    ]);
    expect(seen.split('\n')[0]).toBe('w1');
    expect(existsSync('/usr/mine')).toBe(false);
  });

  test('are still the same ones after a second up, and other ones are refused', async () => {
    const uid = (): Promise<string> =>
      kubectl('get', 'namespace', 'kube-system', '--output', 'jsonpath={.metadata.uid}');
    const first = await uid();
    await succeed(state, ['up', '--kubernetes', KUBERNETES]);
    expect(await uid()).toBe(first);
    const other = await cluster(state, ['up', '--kubernetes', KUBERNETES, '--workers', '2']);
    expect(other.status).toBe(1);
    expect(other.stderr).toContain('another cluster is up');
  });

  test('hand arguments, input and status to kubectl and to commands on nodes', async () => {
    const text = await kubectl(
      'create',
      'configmap',
      'odd',
      '--from-literal=a=b c=$HOME "quoted"',
      '--dry-run=client',
      '-o',
      'json',
    );
    expect((JSON.parse(text) as { data: object }).data).toEqual({ a: 'b c=$HOME "quoted"' });
    expect(await cluster(state, ['kubectl', 'get', 'nothing'])).toMatchObject({ status: 1 });
    expect(await succeed(state, ['exec', 'w1', '--', 'tr', 'a-z', 'A-Z'], 'input')).toBe('INPUT');
    expect(await cluster(state, ['exec', 'cp1', '--', 'sh', '-c', 'exit 7'])).toMatchObject({ status: 7 });
    expect(await cluster(state, ['exec', 'cp9', '--', 'true'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cp1, w1'),
    });
  });

  test('run a Pod that is reached by its own address and by that of its Service', async () => {
    const serve = ['sh', '-c', 'echo here > /tmp/index.html; exec httpd -f -p 8080 -h /tmp'];
    const container = { name: 'web', image: BUSYBOX, command: serve };
    const objects = [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: { terminationGracePeriodSeconds: 0, containers: [container] },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
      },
    ];
    await succeed(
      state,
      ['kubectl', 'apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    );
    await kubectl('wait', 'pod/web', '--for=condition=Ready', '--timeout=60s');
    const pod = await kubectl('get', 'pod', 'web', '--output', 'jsonpath={.status.podIP}');
    const service = await kubectl('get', 'service', 'web', '--output', 'jsonpath={.spec.clusterIP}');
    const fetch = (from: string, address: string): Promise<string> =>
      succeed(state, ['exec', from, '--', 'timeout', '3', 'busybox', 'wget', '-q', '-O', '-', `http://${address}/`]);
    expect(await fetch('outside', `${pod}:8080`)).toBe('here\n');
    for (const node of ['cp1', 'w1']) expect(await eventually(() => fetch(node, service))).toBe('here\n');
    expect(await succeed(state, ['kubectl', 'exec', 'web', '--', 'wget', '-q', '-O', '-', `http://${service}/`])).toBe(
      'here\n',
    );
  });

  describe('under a probe', () => {
    let result: ProbeResult;

    beforeAll(async () => {
      const probe = await startProbe(one);
      await sleep(3000);
      // The process hangs and nobody is refused.
      await runOnNode(one, 'cp1', ['bash', '-c', 'p=$(pidof kube-apiserver); kill -STOP $p; sleep 0.3; kill -CONT $p']);
      await sleep(4000);
      // Nobody gets in, as when nothing listens; open connections stay.
      const rule =
        'table inet closed { chain c { type filter hook input priority -10; tcp dport 6443 tcp flags & (syn|ack) == syn iifname "eth0" reject with tcp reset; }; }';
      await runOnNode(one, 'cp1', ['bash', '-c', `nft '${rule}'; sleep 0.3; nft delete table inet closed`]);
      await sleep(4000);
      await runOnNode(one, 'cp1', ['bash', '-c', 'kill -9 $(pidof kube-scheduler)']);
      await sleep(25_000);
      result = await probe.stop();
    });

    const clientOf = (vantage: string, client: string) =>
      result.report.clients.find((seen) => seen.vantage === vantage && seen.client === client)!;

    test('are written to from outside, from both nodes and from a Pod, 20 times a second', async () => {
      const clients = result.report.clients.map(({ vantage, client }) => `${vantage} ${client}`);
      const expected = [
        'outside fresh',
        'outside http1',
        'outside http2',
        'outside quiet',
        'cp1 fresh',
        'w1 fresh',
        'pod-w1 fresh',
      ];
      expect(clients.toSorted()).toEqual(expected.toSorted());
      for (const { client, requests } of result.report.clients) {
        if (client !== 'quiet') expect(requests / result.report.seconds).toBeGreaterThan(18);
      }
    });

    test('show a process that hangs for 300 ms as a stall of every client', async () => {
      for (const { vantage, client, stalls } of result.report.clients) {
        if (client === 'quiet') continue;
        const early = stalls.filter(({ at }) => at > 2 && at < 5);
        expect(Math.max(0, ...early.map(({ ms }) => ms)), `${vantage} ${client}`).toBeGreaterThanOrEqual(250);
      }
    });

    test('show 300 ms without a server as an outage of every client that connects anew, from outside and from the Pod', async () => {
      for (const vantage of ['outside', 'w1', 'pod-w1']) {
        const { outages, reasons } = clientOf(vantage, 'fresh');
        const refused = outages.filter(({ at }) => at > 6 && at < 12);
        expect(refused.length, vantage).toBeGreaterThan(0);
        expect(reasons['ECONNREFUSED'], vantage).toBeGreaterThanOrEqual(3);
        expect(
          refused.reduce((sum, { ms }) => sum + ms, 0),
          vantage,
        ).toBeLessThan(3000);
      }
      // Within the node nothing passes the interface that was closed.
      expect(clientOf('cp1', 'fresh').reasons).not.toHaveProperty('ECONNREFUSED');
      for (const client of ['http1', 'http2']) {
        expect(clientOf('outside', client).reasons, client).not.toHaveProperty('ECONNREFUSED');
      }
    });

    test('lose no acknowledged write and no change', async () => {
      expect(result.report.totals).toMatchObject({ missing: 0, lost: 0 });
      const watches = result.report.watches.map(({ vantage, watch }) => `${vantage} ${watch}`);
      expect(watches.toSorted()).toEqual(['outside busy', 'outside quiet', 'pod-w1 busy', 'pod-w1 quiet']);
      for (const { seen } of result.report.watches) expect(seen).toBeGreaterThan(0);
    });

    test('show how long the scheduler had no leader, and that its container was restarted', async () => {
      const [change] = result.report.leaders.find(({ component }) => component === 'kube-scheduler')!.changes;
      expect(change).toMatchObject({ isProcessEndSeen: true });
      // A lease that nobody gave back lasts 15 s.
      expect(change!.gap).toBeGreaterThan(5000);
      expect(change!.gap).toBeLessThan(25_000);
      const restarted = result.report.containers.filter(({ restarts }) => restarts !== 0);
      expect(restarted).toMatchObject([{ node: 'cp1', container: 'kube-scheduler', restarts: 1 }]);
    });
  });

  test.each(SCRIPT_CASES)(
    '$name: a script that bootlace renders starts the image on a node with every value',
    async (script) => {
      const folder = '/opt/azure/containers';
      await writeOnNode(one, 'w1', `${folder}/provision.sh`, '#EOF\n');
      await writeOnNode(one, 'w1', `${folder}/provision_start.sh`, 'env -0 > /opt/azure/received\n', '0755');
      await writeOnNode(one, 'w1', '/opt/azure/script.sh', scriptOf(script), '0700');
      await runOnNode(one, 'w1', ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', '/opt/azure/script.sh']);
      const received = await runOnNode(one, 'w1', ['cat', '/opt/azure/received']);
      await runOnNode(one, 'w1', ['rm', '-r', '/opt/azure']);
      expectReceived(script, parseEnvironment(received));
    },
  );

  describe('have manifests that bootlace converts, and their API server takes the result', () => {
    test.each(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'])('of %s', async (component) => {
      const manifest = await runOnNode(one, 'cp1', ['cat', `${MANIFESTS}/${component}.yaml`]);
      const converted = bootlace(['control-plane', 'convert', '-f', '-', '--node', 'cp1'], manifest);
      expect(converted).toMatchObject({ status: 0, stderr: '' });
      const answer = await succeed(
        state,
        ['kubectl', 'create', '--dry-run=server', '--output', 'json', '-f', '-'],
        converted.stdout,
      );
      const { kind, spec } = JSON.parse(answer) as {
        kind: string;
        spec: { template: { spec: { containers: { ports?: unknown }[] } } };
      };
      expect(kind).toBe('DaemonSet');
      // A port that the API server adds on the host network would keep the Pod from being scheduled.
      expect(spec.template.spec.containers[0]).not.toHaveProperty('ports');
    });

    test('of the API server to a relay', async () => {
      const manifest = await runOnNode(one, 'cp1', ['cat', `${MANIFESTS}/kube-apiserver.yaml`]);
      const converted = bootlace(['control-plane', 'convert', '-f', '-', '--relay-port', '6444'], manifest);
      expect(converted.status).toBe(0);
      const answer = await succeed(
        state,
        ['kubectl', 'create', '--dry-run=server', '--output', 'name', '-f', '-'],
        converted.stdout,
      );
      expect(answer).toMatch(/^pod\//);
    });
  });

  test('do not mind a second bench, and nothing is left of one that is killed half-way', async () => {
    const other = newState();
    const otherBench = await openBench(other, CACHE);
    const begun = computerState(otherBench);
    const killed = await killAt(
      other,
      ['up', '--kubernetes', KUBERNETES, '--workers', '0'],
      /kubeadm init on cp1 …/,
      'SIGKILL',
    );
    expect(killed.status).toBe(null);
    expect((await cluster(other, ['status'])).stderr).toContain('did not come to its end');
    await succeed(other, ['down', '--all']);
    expect(existsSync(other)).toBe(false);
    expect(computerState(otherBench)).toEqual(begun);
    expect(await status()).toMatchObject({ api: true });
  });

  test('do not mind an up that is interrupted, which says what to do', async () => {
    const other = newState();
    const interrupted = await killAt(
      other,
      ['up', '--kubernetes', KUBERNETES, '--workers', '0'],
      /kubeadm init on cp1 …/,
      'SIGINT',
    );
    expect(interrupted.status).toBe(130);
    expect(interrupted.stderr).toContain('npm run cluster -- down');
    await succeed(other, ['down', '--all']);
  });

  test('are back after a power cut of the worker', async () => {
    await runOnNode(one, 'w1', ['bash', '-c', 'echo kept > /var/lib/mark; echo gone > /run/mark']);
    await succeed(state, ['power-cut', 'w1']);
    expect((await status()).nodes.find(({ name }) => name === 'w1')).toMatchObject({ power: 'off' });
    expect(await cluster(state, ['exec', 'w1', '--', 'true'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('boot w1'),
    });
    await succeed(state, ['boot', 'w1', '--wait']);
    expect(await runOnNode(one, 'w1', ['bash', '-c', 'cat /var/lib/mark; ls /run/mark 2> /dev/null || true'])).toBe(
      'kept\n',
    );
    await eventually(async () => {
      const address = await kubectl('get', 'pod', 'web', '--output', 'jsonpath={.status.podIP}');
      expect(
        await succeed(state, [
          'exec',
          'cp1',
          '--',
          'timeout',
          '3',
          'busybox',
          'wget',
          '-q',
          '-O',
          '-',
          `http://${address}:8080/`,
        ]),
      ).toBe('here\n');
    }, 120_000);
  });

  test('are back after a power cut of the control plane, with what was written before', async () => {
    await kubectl('create', 'configmap', 'before', '--from-literal=a=b');
    await succeed(state, ['power-cut', 'cp1']);
    expect(await status()).toMatchObject({ api: false });
    await succeed(state, ['boot', 'cp1', '--wait']);
    expect(await kubectl('get', 'configmap', 'before', '--output', 'jsonpath={.data.a}')).toBe('b');
    await expect(enterNode(one, 'cp1', ['true'])).resolves.toContain('true');
  });

  test('leave this computer as it was', async () => {
    await succeed(state, ['down']);
    expect(readdirSync(state).toSorted()).toEqual(['.bootlace-cluster', 'images']);
    await succeed(state, ['down', '--all']);
    expect(existsSync(state)).toBe(false);
    expect(computerState(bench)).toEqual(before);
  });
});

test.skipIf(!inject('hasCluster'))('a bench without a cluster can be removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bootlace-cluster-'));
  await succeed(folder, ['down']);
  await succeed(folder, ['down', '--all']);
  expect(existsSync(folder)).toBe(false);
  rmSync(folder, { recursive: true, force: true });
});
