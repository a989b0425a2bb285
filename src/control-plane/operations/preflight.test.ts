import { describe, expect, test } from 'vitest';
import { editContainer, killAll, manifestOn, startedCluster, writeManifest } from '../../../test/support/simulated.ts';
import type { AnyObject } from '../../cluster/api.ts';
import type { SimulatedCluster } from '../../cluster/simulated/cluster.ts';
import type { PodSpec } from '../../cluster/objects.ts';
import type { Change } from './change.ts';
import { planChange, type Plan } from './plan.ts';

const PIVOT: Change = { verb: 'pivot' };
const ROLL: Change = { verb: 'roll', components: ['kube-apiserver'], edits: { setFlags: { v: '4' } } };

async function planOn(cluster: SimulatedCluster, change: Change = PIVOT): Promise<Plan> {
  const { host, cluster: api, clock } = cluster.login('cp1');
  return (await planChange({ host, cluster: api, clock }, change)).plan;
}

function found({ problems }: Plan): readonly string[] {
  return problems.map(({ severity, code, place }) => `${severity} ${code} ${place}`);
}

test('nothing speaks against a pivot of a new cluster', async () => {
  const plan = await planOn(await startedCluster());
  expect(found(plan)).toEqual([]);
  expect(plan.verdict).toBe('ready');
  expect(plan.steps.every(({ proves, back }) => proves !== undefined && back !== undefined)).toBe(true);
});

test('a pivot says that a reboot will need a way back', async () => {
  const reboot = expect.stringContaining('a reboot of this node') as string;
  const cluster = await startedCluster();
  expect((await planOn(cluster)).breaks).toContainEqual(reboot);
  expect((await planOn(cluster, ROLL)).breaks).not.toContainEqual(reboot);
});

/** A node or a cluster that is not as it should be, and what is said of it. */
const REFUSALS: readonly (readonly [what: string, change: (cluster: SimulatedCluster) => unknown, wanted: string])[] = [
  [
    'kubeadm that runs',
    (cluster) => cluster.node('cp1').setFacts({ programs: ['kubeadm'] }),
    'error TOOL_RUNNING Node cp1',
  ],
  [
    'too little memory',
    (cluster) => cluster.node('cp1').setFacts({ memoryAvailableBytes: 100 * 2 ** 20 }),
    'error MEMORY_LOW Node cp1',
  ],
  [
    'little memory',
    (cluster) => cluster.node('cp1').setFacts({ memoryAvailableBytes: 500 * 2 ** 20 }),
    'warning MEMORY_LOW Node cp1',
  ],
  ['a full disk', (cluster) => cluster.node('cp1').setFacts({ diskFreeBytes: 2 ** 20 }), 'error DISK_LOW Node cp1'],
  [
    'a certificate that ran out',
    (cluster) => cluster.node('cp1').setFacts({ certificates: [{ path: '/pki/apiserver.crt', notAfter: 1000 }] }),
    'error CERTIFICATE_EXPIRED /pki/apiserver.crt',
  ],
  [
    'ports of outgoing connections around that of the relay',
    (cluster) => cluster.node('cp1').setFacts({ ephemeralPorts: { from: 1024, to: 60_999 } }),
    'error RELAY_PORT_TAKEN Node cp1',
  ],
  [
    'a namespace that restricts Pods',
    (cluster) => label(cluster, 'Namespace', 'kube-system', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
    'error NAMESPACE_RESTRICTED Namespace kube-system',
  ],
  [
    'a policy that keeps relays out',
    (cluster) =>
      cluster.admit(({ kind, metadata }) =>
        kind === 'Pod' && metadata.name!.includes('relay') ? 'no relays here' : undefined,
      ),
    'error ADMISSION_REFUSED Pod kube-apiserver-relay',
  ],
  [
    'a policy that keeps DaemonSets out',
    (cluster) => cluster.admit(({ kind }) => (kind === 'DaemonSet' ? 'no more of them' : undefined)),
    'error ADMISSION_REFUSED DaemonSet self-hosted-kube-scheduler',
  ],
  [
    'a webhook without exemption',
    (cluster) => store(cluster, webhook({})),
    'error WEBHOOK_IN_THE_WAY ValidatingWebhookConfiguration guard',
  ],
  [
    'a quota that counts the Pods of the control plane',
    (cluster) =>
      store(cluster, {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few', namespace: 'kube-system' },
        spec: { hard: { pods: '10' } },
      }),
    'warning QUOTA_LIMITS ResourceQuota kube-system/few',
  ],
  [
    'a firewall that drops what is redirected',
    (cluster) => cluster.node('cp1').setFirewall({ ports: [6443], acceptsTranslated: false }),
    'error FIREWALL_CLOSED /etc/kubernetes/manifests/kube-apiserver.yaml',
  ],
  [
    'a manifest of another tool',
    (cluster) => {
      const node = cluster.node('cp1');
      const pod = manifestOn(node, 'kube-scheduler');
      const annotations = { 'rke2.io/hash': 'x' };
      writeManifest(node, 'kube-scheduler', { ...pod, metadata: { ...pod.metadata, annotations } });
    },
    'error MANIFEST_MANAGED /etc/kubernetes/manifests/kube-scheduler.yaml',
  ],
  [
    'a backup copy in the folder',
    (cluster) => {
      const { disk } = cluster.node('cp1');
      const path = '/etc/kubernetes/manifests/kube-apiserver.yaml';
      disk.write(`${path}.bak`, disk.read(path)!);
    },
    'error MANIFEST_DUPLICATE /etc/kubernetes/manifests/kube-apiserver.yaml.bak',
  ],
  [
    'a manifest that is empty',
    (cluster) => cluster.node('cp1').disk.write('/etc/kubernetes/manifests/kube-scheduler.yaml', ''),
    'error DOCUMENT_EMPTY /etc/kubernetes/manifests/kube-scheduler.yaml',
  ],
  [
    'a manifest that is a link',
    (cluster) => {
      const { disk } = cluster.node('cp1');
      const path = '/etc/kubernetes/manifests/kube-scheduler.yaml';
      disk.write('/srv/kube-scheduler.yaml', disk.read(path)!);
      disk.link(path, '/srv/kube-scheduler.yaml');
    },
    'error MANIFEST_LINK /etc/kubernetes/manifests/kube-scheduler.yaml',
  ],
  [
    'a scheduler that ends again and again',
    (cluster) => {
      cluster.failStarts(({ program }) => (program === 'kube-scheduler' ? 'broken' : undefined));
      killAll(cluster.node('cp1'), 'kube-scheduler');
    },
    'error COMPONENT_NOT_SERVING /etc/kubernetes/manifests/kube-scheduler.yaml',
  ],
  [
    'a component that is missing',
    (cluster) => cluster.node('cp1').disk.remove('/etc/kubernetes/manifests/kube-scheduler.yaml'),
    'error DOCUMENT_UNREADABLE /etc/kubernetes/manifests/kube-scheduler.yaml',
  ],
  [
    'a manager without a lease',
    (cluster) => flag(cluster, 'kube-scheduler', '--leader-elect=false'),
    'error LEADER_ELECTION_OFF /etc/kubernetes/manifests/kube-scheduler.yaml',
  ],
  [
    'a proxy in eBPF',
    (cluster) =>
      store(cluster, {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'cilium', namespace: 'kube-system' },
        spec: {
          selector: { matchLabels: { app: 'cilium' } },
          template: {
            metadata: { labels: { app: 'cilium' } },
            spec: {
              containers: [{ name: 'agent', image: 'cilium:1', command: ['cilium'] }],
              nodeSelector: { none: 'x' },
            },
          },
        },
      }),
    'warning PROXY_UNSUPPORTED DaemonSet kube-system/cilium',
  ],
];

test.each(REFUSALS)('%s is found before anything changes', async (_, spoil, wanted) => {
  const cluster = await startedCluster();
  await spoil(cluster);
  const plan = await planOn(cluster);
  expect(found(plan)).toContain(wanted);
  expect(plan.verdict).toBe(wanted.startsWith('error') ? 'refused' : 'ready');
});

describe('a webhook is no trouble', () => {
  test.each([
    ['where it may be passed over', { failurePolicy: 'Ignore' }],
    [
      'where it exempts kube-system',
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
        },
      },
    ],
    ['of a namespace that opted in', { namespaceSelector: { matchLabels: { guard: 'on' } } }],
    ['where it is asked about other things', { rules: [rule(['batch'], ['jobs'])] }],
  ])('%s', async (_, change) => {
    const cluster = await startedCluster();
    await store(cluster, webhook(change));
    expect(found(await planOn(cluster))).toEqual([]);
  });
});

test('a Kubernetes that was never tried is refused, and so is a kubelet that is newer than its API server', async () => {
  const cluster = await startedCluster();
  const { cluster: api } = cluster.login('cp1');
  const node = await api.get({ kind: 'Node', name: 'cp1' });
  const nodeInfo = { kubeletVersion: 'v1.36.0' };
  // Status has a way of its own, which the registry takes for the kubelet.
  cluster.world.registry(
    { verb: 'update', subresource: 'status', object: { ...node, status: { ...node.status, nodeInfo } } },
    'kubernetes-admin',
  );
  expect(found(await planOn(cluster))).toEqual(['error CLUSTER_UNTRIED Node cp1']);
  editContainer(cluster.node('cp1'), 'kube-apiserver', (container) => ({
    ...container,
    image: 'registry.k8s.io/kube-apiserver:v1.31.0',
  }));
  await cluster.clock.sleep(90_000);
  expect(found(await planOn(cluster))).toEqual(['error CLUSTER_UNTRIED API server', 'error CLUSTER_UNTRIED Node cp1']);
});

test('other control planes are named, since they cannot be seen from here', async () => {
  const cluster = await startedCluster({ controlPlanes: 3 });
  expect(found(await planOn(cluster))).toEqual(['warning NODE_UNSEEN Nodes cp2, cp3']);
});

test('a member of etcd that is away refuses a change', async () => {
  const cluster = await startedCluster({ controlPlanes: 3 });
  cluster.node('cp3').disk.remove('/etc/kubernetes/manifests/etcd.yaml');
  await cluster.clock.sleep(60_000);
  const plan = await planOn(cluster);
  expect(plan.problems.filter(({ code }) => code === 'ETCD_UNHEALTHY' || code === 'LOOK_FAILED')).not.toEqual([]);
});

test('an API that is away refuses a change, and what could be found is said all the same', async () => {
  const cluster = await startedCluster();
  const { disk } = cluster.node('cp1');
  disk.write('/etc/kubernetes/bootlace/journal.json', 'nothing');
  disk.remove('/etc/kubernetes/manifests/kube-apiserver.yaml');
  await cluster.clock.sleep(60_000);
  const plan = await planOn(cluster);
  expect(plan.verdict).toBe('refused');
  expect(found(plan)).toContain('error LOOK_FAILED /etc/kubernetes/bootlace/journal.json');
});

describe('a roll is refused', () => {
  test.each<[string, Partial<typeof ROLL & { force: boolean }>, string]>([
    [
      'where two servers may not differ',
      { edits: { setFlags: { 'service-cluster-ip-range': '10.0.0.0/16' } } } as object,
      'error SERVERS_DIFFER',
    ],
    [
      'where it would move the server',
      { edits: { setFlags: { 'secure-port': '7443' } } } as object,
      'error FLAG_INVALID',
    ],
    [
      'where a flag is set and removed',
      { edits: { setFlags: { v: '4' }, removeFlags: ['v'] } } as object,
      'error FLAG_INVALID',
    ],
    [
      'where it skips a minor version',
      { edits: { image: 'registry.k8s.io/kube-apiserver:v1.37.0' } } as object,
      'error SERVERS_DIFFER',
    ],
  ])('%s', async (_, change, wanted) => {
    const plan = await planOn(await startedCluster(), { ...ROLL, ...change } as Change);
    expect(found(plan)[0]).toContain(wanted);
    expect(plan.verdict).toBe('refused');
  });

  test('unless it is forced', async () => {
    const edits = { setFlags: { 'service-account-issuer': 'https://other' } };
    const plan = await planOn(await startedCluster(), { ...ROLL, edits, force: true } as Change);
    expect(found(plan)[0]).toContain('warning SERVERS_DIFFER');
    expect(plan.verdict).toBe('ready');
  });
});

function label(
  cluster: SimulatedCluster,
  kind: 'Namespace',
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<unknown> {
  return cluster.connect().apply({ apiVersion: 'v1', kind, metadata: { name, labels } }, { fieldManager: 'test' });
}

function store(cluster: SimulatedCluster, object: object): Promise<unknown> {
  return cluster.connect().create(object as AnyObject);
}

function rule(apiGroups: readonly string[], resources: readonly string[]) {
  return { operations: ['CREATE'], apiGroups, apiVersions: ['*'], resources };
}

function webhook(change: object): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'guard' },
    webhooks: [
      { name: 'guard.example.com', rules: [rule([''], ['pods'])], clientConfig: { url: 'https://guard' }, ...change },
    ],
  };
}

function flag(cluster: SimulatedCluster, component: string, text: string): void {
  editContainer(cluster.node('cp1'), component, (container: PodSpec['containers'][number]) => ({
    ...container,
    command: [...container.command!.filter((one) => !one.startsWith(text.split('=')[0]!)), text],
  }));
}
