import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodePlan } from './addresses.ts';
import { clusterOf, files, readRecord, removeCluster, writeRecord, type Bench, type Cluster } from './bench.ts';
import { build, type Built } from './build.ts';
import { removeCgroup } from './cgroups.ts';
import { checkCluster } from './checks.ts';
import { run } from './commands.ts';
import { BenchError } from './errors.ts';
import { controlPlaneImages, imageNames, nodeImages, packImages, type ImageNames } from './images.ts';
import { initConfiguration, joinConfiguration, kubeProxyConfiguration, type JoinSecrets } from './kubeadm.ts';
import { kubectlGet } from './kubectl.ts';
import {
  bootNode,
  type Equipment,
  enterLan,
  enterNode,
  isOn,
  onNode,
  runOnNode,
  startLan,
  writeOnNode,
} from './machines.ts';
import { cniConfiguration, haproxyConfiguration, hostFirewall, podRoutes, type PodRanges } from './network.ts';
import { quiet, type Progress } from './progress.ts';
import { fileSystemOf, missingFor } from './requirements.ts';
import { settingsText, type Settings } from './settings.ts';

/** Brings a cluster up, or sees that the one that is up is what was asked for. */
export async function up(bench: Bench, settings: Settings, progress: Progress, signal?: AbortSignal): Promise<Cluster> {
  await requireComputer(bench);
  const record = await readRecord(bench);
  const cluster = clusterOf(bench, settings);
  if (record?.complete) {
    requireSame(record.settings, settings);
    await requirePower(cluster);
    await checkCluster(cluster, progress, signal);
    return cluster;
  }
  // Of a cluster that was not finished nobody expects anything, and its remains are in the way.
  await removeCgroup(bench.cgroup);
  await removeCluster(bench);
  await writeRecord(bench, { settings, complete: false });
  await create(cluster, progress, signal);
  await writeRecord(bench, { settings, complete: true });
  return cluster;
}

async function requireComputer(bench: Bench): Promise<void> {
  const [first, ...more] = await missingFor('cluster');
  if (first !== undefined) throw new BenchError([first, ...more].join('; '), { status: 3 });
  if ((await fileSystemOf(bench.state)).startsWith('overlay')) {
    throw new BenchError(`the state folder ${bench.state} is on an overlay, and overlays do not stack`, {
      hint: 'Choose a folder on a disk with --state.',
      status: 3,
    });
  }
}

function requireSame(existing: Settings, wanted: Settings): void {
  if (settingsText(existing) === settingsText(wanted)) return;
  throw new BenchError(`another cluster is up: ${settingsText(existing)}`, {
    hint: 'Remove it with `npm run cluster -- down`, or have a second one with --state.',
  });
}

async function requirePower(cluster: Cluster): Promise<void> {
  for (const node of cluster.plan.nodes) {
    if (await isOn(cluster, node)) continue;
    throw new BenchError(`${node.name} is off`, { hint: `Boot it with \`npm run cluster -- boot ${node.name}\`.` });
  }
}

async function create(cluster: Cluster, progress: Progress, signal?: AbortSignal): Promise<void> {
  const { bench, settings, plan } = cluster;
  const [built] = await Promise.all([build(bench, settings.kubernetes, progress, signal), startLan(cluster)]);
  const names = await imageNames(bench, built, settings.kubernetes);
  const archives = await progress.step('packing images', () => pack(cluster, built, names));
  const equipment = { programs: built, pauseImage: names['pause']! };
  await progress.step(`booting ${plan.nodes.map(({ name }) => name).join(', ')}`, () =>
    together(plan.nodes, (node) => bootFirst(cluster, node, equipment, archives)),
  );
  signal?.throwIfAborted();
  const secrets = newSecrets();
  const [first, ...others] = plan.nodes.filter(({ role }) => role === 'control-plane');
  if (settings.controlPlanes > 1) await writeFile(join(files.lan(bench), 'haproxy.cfg'), haproxyConfiguration(plan));
  await progress.step(`kubeadm init on ${first!.name}`, async () => {
    await writeOnNode(cluster, first!.name, KUBEADM_FILE, initConfiguration(cluster, first!, secrets), '0600');
    const uploads = others.length > 0 ? ['--upload-certs'] : [];
    const quietly = ['--skip-token-print', '--skip-certificate-key-print'];
    const skips = ['--skip-phases', 'addon/coredns,addon/kube-proxy'];
    await kubeadm(cluster, first!, ['init', ...uploads, ...quietly, ...skips], signal);
  });
  await writeFile(
    files.kubeconfig(bench),
    await runOnNode(cluster, first!.name, ['cat', '/etc/kubernetes/admin.conf']),
    { mode: 0o600 },
  );
  const caHash = await hashOfCa(cluster, first!);
  const joinNode = async (node: NodePlan): Promise<void> => {
    await progress.step(`kubeadm join on ${node.name}`, async () => {
      await writeOnNode(cluster, node.name, KUBEADM_FILE, joinConfiguration(cluster, node, secrets, caHash), '0600');
      await kubeadm(cluster, node, ['join'], signal);
    });
  };
  await together(
    plan.nodes.filter(({ role }) => role === 'worker'),
    joinNode,
  );
  // One after the other, as each is a new member of etcd.
  for (const node of others) await joinNode(node);
  await progress.step('connecting Pods and Services', () => connect(cluster, first!, signal));
  await checkCluster(cluster, progress, signal);
}

/** What a node of a cluster that is up boots with again. */
export async function equipmentOf({ bench, settings }: Cluster): Promise<Equipment> {
  const built = await build(bench, settings.kubernetes, quiet);
  return { programs: built, pauseImage: (await imageNames(bench, built, settings.kubernetes))['pause']! };
}

type Archives = Readonly<Record<NodePlan['role'], string>>;

async function pack({ bench, settings }: Cluster, built: Built, names: ImageNames): Promise<Archives> {
  const common = await nodeImages(built, names);
  const own = controlPlaneImages(built, names);
  return {
    worker: await packImages(bench, `worker-${settings.kubernetes}`, common),
    'control-plane': await packImages(bench, `control-plane-${settings.kubernetes}`, [...common, ...own]),
  };
}

async function bootFirst(cluster: Cluster, node: NodePlan, equipment: Equipment, archives: Archives): Promise<void> {
  await bootNode(cluster, node, equipment);
  await importImages(cluster, node, archives[node.role]);
  if (cluster.settings.hostFirewall) {
    await writeOnNode(cluster, node.name, '/etc/nftables.conf', hostFirewall(node));
    await runOnNode(cluster, node.name, ['nft', '-f', '/etc/nftables.conf']);
  }
}

/** Gives a node the images of an archive. They come from this computer's files, which the node does not see. */
export async function importImages(cluster: Cluster, node: NodePlan, archive: string): Promise<void> {
  const namespaces = ['mount', 'pid', 'net'] as const;
  const inside = await enterNode(cluster, node.name, ['ctr', '--namespace', 'k8s.io', 'images', 'import', '-'], {
    namespaces,
  });
  await run(['bash', '-c', '"${@:2}" < "$1"', 'import', archive, ...inside]);
}

const KUBEADM_FILE = '/etc/kubernetes/kubeadm.yaml';
const KUBEADM_LOG = '/var/log/machine/kubeadm.log';

// What kubeadm finds wrong with every node here: there is no service manager, memory is shared with others, and this
// computer may have swap or the first version of cgroups. All other findings stop it.
const KNOWN_FINDINGS = [
  'SystemVerification',
  'Swap',
  'Mem',
  'NumCPU',
  'Hostname',
  'Service-kubelet',
  'Service-containerd',
];

async function kubeadm(cluster: Cluster, node: NodePlan, args: readonly string[], signal?: AbortSignal): Promise<void> {
  const known = `--ignore-preflight-errors=${KNOWN_FINDINGS.join(',')}`;
  const command = ['kubeadm', ...args, '--config', KUBEADM_FILE, known];
  const log = ['bash', '-c', 'umask 077; "${@:2}" > "$1" 2>&1', 'kubeadm', KUBEADM_LOG, ...command];
  const { status } = await onNode(cluster, node.name, log, { signal });
  if (status === 0) {
    await runOnNode(cluster, node.name, ['rm', KUBEADM_FILE]);
    return;
  }
  signal?.throwIfAborted();
  const { stdout } = await onNode(cluster, node.name, ['tail', '-n', '20', KUBEADM_LOG]);
  throw new BenchError(`kubeadm ${args[0]} on ${node.name} ended with status ${status}:\n${stdout.trim()}`, {
    hint: 'The logs are under nodes/*/root/var/log in the state folder.',
  });
}

async function hashOfCa(cluster: Cluster, node: NodePlan): Promise<string> {
  const certificate = new X509Certificate(await runOnNode(cluster, node.name, ['cat', '/etc/kubernetes/pki/ca.crt']));
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function newSecrets(): JoinSecrets {
  // Hexadecimal digits are among those that a token may have.
  const text = randomBytes(11).toString('hex');
  return { token: `${text.slice(0, 6)}.${text.slice(6)}`, certificateKey: randomBytes(32).toString('hex') };
}

/** Gives each node its Pod network, by the ranges that the cluster gave it, and kube-proxy. */
async function connect(cluster: Cluster, first: NodePlan, signal?: AbortSignal): Promise<void> {
  const ranges = await podRanges(cluster, signal);
  const proxy = cluster.settings.proxy === 'none' ? undefined : await proxyKubeconfig(cluster, first);
  await together(cluster.plan.nodes, async (node) => {
    await writeOnNode(cluster, node.name, '/etc/bench/routes', podRoutes(cluster.plan, ranges, node));
    await runOnNode(cluster, node.name, ['ip', '-batch', '/etc/bench/routes']);
    const own = ranges.find(({ name }) => name === node.name)!;
    await writeOnNode(cluster, node.name, '/etc/cni/net.d/10-pods.conflist', cniConfiguration(own));
    if (proxy === undefined) return;
    const kubeconfig = '/etc/bench/kube-proxy.conf';
    await writeOnNode(cluster, node.name, kubeconfig, proxy, '0600');
    await writeOnNode(cluster, node.name, '/etc/bench/kube-proxy.yaml', kubeProxyConfiguration(cluster, kubeconfig));
  });
  await run(await enterLan(cluster, ['ip', '-batch', '-']), { input: podRoutes(cluster.plan, ranges) });
}

interface NodeList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly podCIDRs?: readonly string[] };
  }[];
}

async function podRanges(cluster: Cluster, signal?: AbortSignal): Promise<PodRanges[]> {
  for (;;) {
    signal?.throwIfAborted();
    const { items } = await kubectlGet<NodeList>(cluster, ['nodes']);
    const ranges = items.map(({ metadata, spec }) => ({ name: metadata.name, podCIDRs: spec.podCIDRs ?? [] }));
    const isWhole = ranges.every(({ podCIDRs }) => podCIDRs.length === cluster.plan.podSubnets.length);
    if (isWhole && ranges.length === cluster.plan.nodes.length) return ranges;
    await sleep(300);
  }
}

/** A client certificate of the user that Kubernetes knows kube-proxy by. */
async function proxyKubeconfig(cluster: Cluster, first: NodePlan): Promise<string> {
  return await runOnNode(cluster, first.name, ['kubeadm', 'kubeconfig', 'user', '--client-name', 'system:kube-proxy']);
}

async function together<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
