import type { LabelSelector, ObjectOf, Webhook, WebhookRule } from '../../cluster/api.ts';
import type { NodeFacts } from '../../cluster/host.ts';
import type { Pod } from '../../cluster/objects.ts';
import type { ProblemCode, Severity } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { JOURNAL } from '../journal/runs.ts';
import type { StrategyContext } from '../strategies/context.ts';
import { SNAPSHOT } from '../strategies/prepare.ts';
import { checkServing } from './serving.ts';
import { controlPlanesOf, type Findings, type Look, type RunFindings } from './look.ts';
import type { PlacedProblem } from './station.ts';

/** Minor versions of Kubernetes 1 that changes were made for. */
const MINORS = { from: 33, to: 37 };
/** What a second API server takes on a small cluster, and where that becomes tight: bytes. */
const MEMORY = { least: 256 * 2 ** 20, comfortable: 768 * 2 ** 20 };
/** What manifests, a journal and a snapshot of a usual etcd take: bytes. A snapshot may have etcd's whole quota of 2 GiB. */
const DISK = { least: 16 * 2 ** 20, withSnapshot: 512 * 2 ** 20 };
const DAY = 86_400_000;
/** How long a certificate has to be valid still so that nobody is warned, in milliseconds. */
const CERTIFICATE_LEFT = 14 * DAY;

/**
 * What keeps a change from beginning, and what people should know before it does: errors refuse it. Pure: it goes by what
 * was found.
 */
export function preflight(context: StrategyContext, found: Findings): readonly PlacedProblem[] {
  const report = createReport();
  checkVersions(context, found, report);
  checkAdmission(found, report);
  checkNode(context, found, report);
  checkCluster(context, found, report);
  checkManifests(context, report);
  return report.problems;
}

/** What of other runs keeps a change from beginning. */
export function preflightRuns(nodeName: string, verb: 'pivot' | 'roll', found: RunFindings): readonly PlacedProblem[] {
  const report = createReport();
  checkRuns(nodeName, verb, found, report);
  return report.problems;
}

export type Report = ReturnType<typeof createReport>;

function createReport() {
  const problems: PlacedProblem[] = [];
  const add =
    (severity: Severity) =>
    (place: string, code: ProblemCode, message: string, hint: string, path = ''): void => {
      problems.push({ severity, code, path, message, hint, place });
    };
  return {
    problems,
    refuse: add('error'),
    warn: add('warning'),
    /** What was found; where it could not be looked at that is a problem of its own. */
    read<T>(place: string, { ...found }: Look<T>): T | undefined {
      if ('value' in found) return found.value;
      this.refuse(place, 'LOOK_FAILED', `It cannot be looked at: ${found.error}.`, 'Mend that first, and plan again.');
      return undefined;
    },
  };
}

function checkRuns(nodeName: string, verb: 'pivot' | 'roll', found: RunFindings, report: Report): void {
  const journal = report.read(JOURNAL, found.journal);
  if (journal !== undefined)
    report.refuse(
      JOURNAL,
      'RUN_OPEN',
      `The run ${journal.id} on this node has not come to its end.`,
      '`bootlace control-plane resume` goes on with it, `rollback` takes it back.',
    );
  if (verb === 'pivot' && 'value' in found.pivoted && found.pivoted.value !== undefined && journal === undefined)
    report.refuse(
      `Node ${nodeName}`,
      'ALREADY_HOSTED',
      'This node was pivoted already.',
      '`bootlace control-plane rollback` goes back to static Pods.',
    );
  const others = new Set(report.read('ConfigMaps of runs', found.runs));
  const holder = report.read('Lease kube-system/bootlace-control-plane', found.holder);
  if (holder !== undefined) others.add(holder);
  others.delete(nodeName);
  for (const node of [...others].toSorted())
    report.refuse(
      `Node ${node}`,
      'RUN_HELD',
      `A run on ${node} has not come to its end, and one node of a control plane is changed at a time.`,
      `Run \`bootlace control-plane resume\` or \`rollback\` on ${node}. If that node is gone for good, delete its ConfigMap and the Lease bootlace-control-plane in kube-system.`,
    );
}

function checkVersions({ host }: StrategyContext, found: Findings, report: Report): void {
  const version = report.read('API server', found.apiVersion);
  const nodes = report.read('Nodes', found.nodes);
  const api = minorOf(version);
  if (version !== undefined && !isTried(api))
    report.refuse(
      'API server',
      'CLUSTER_UNTRIED',
      `Kubernetes ${quoted(version)} was never tried: changes were made for 1.${MINORS.from} to 1.${MINORS.to}.`,
      'Upgrade the cluster, or bootlace.',
    );
  const node = nodes?.find(({ metadata }) => metadata.name === host.nodeName);
  if (nodes !== undefined && node === undefined)
    report.refuse(
      `Node ${host.nodeName}`,
      'NODE_UNSEEN',
      'The cluster knows no node of this name.',
      'Run bootlace on a node with a control plane, under the name that `kubectl get nodes` shows.',
    );
  const { kubeletVersion } = (node?.status?.['nodeInfo'] ?? {}) as { readonly kubeletVersion?: string };
  const kubelet = minorOf(kubeletVersion);
  if (kubeletVersion !== undefined && (!isTried(kubelet) || (api !== undefined && kubelet! > api)))
    report.refuse(
      `Node ${host.nodeName}`,
      'CLUSTER_UNTRIED',
      `The kubelet is ${quoted(kubeletVersion)}: 1.${MINORS.from} to 1.${MINORS.to} were tried, and none that is newer than its API server.`,
      'Upgrade the kubelet, or the API server first.',
    );
  const others = controlPlanesOf(nodes ?? []).filter((name) => name !== host.nodeName);
  if (others.length > 0)
    report.warn(
      `Nodes ${others.join(', ')}`,
      'NODE_UNSEEN',
      'Their manifests, processes and disks cannot be seen from this node, and are not changed by this run.',
      'Plan and run there too, one node after the other.',
    );
}

function checkAdmission(found: Findings, report: Report): void {
  for (const { object, error } of found.dryRuns)
    report.refuse(
      object,
      'ADMISSION_REFUSED',
      `The API server would not take it: ${error}.`,
      'Let the policy, quota or webhook that refuses leave kube-system and its nodes alone, and plan again.',
    );
  const namespace = report.read('Namespace kube-system', found.namespace);
  const level = namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'];
  if (level !== undefined && level !== 'privileged')
    report.refuse(
      'Namespace kube-system',
      'NAMESPACE_RESTRICTED',
      `Pod security is enforced as ${quoted(level)}, which keeps Pods with host networking and host paths out.`,
      'Remove the label pod-security.kubernetes.io/enforce from the namespace, or make it `privileged`.',
    );
  for (const quota of report.read('ResourceQuotas of kube-system', found.quotas) ?? [])
    if (countsControlPlane(quota))
      report.warn(
        `ResourceQuota kube-system/${quota.metadata.name}`,
        'QUOTA_LIMITS',
        'It counts Pods of the control plane: with what they have used up no further one comes in.',
        'Leave room for two more Pods, or limit its scope to other priority classes.',
      );
  for (const configuration of report.read('Webhooks', found.webhooks) ?? [])
    for (const webhook of configuration.webhooks ?? [])
      if (isInTheWay(webhook))
        report.refuse(
          `${configuration.kind} ${configuration.metadata.name}`,
          'WEBHOOK_IN_THE_WAY',
          `${quoted(webhook.name)} decides about objects of the control plane, and refuses them where it does not answer, as while API servers change.`,
          'Exempt the namespace kube-system with a namespaceSelector, or set failurePolicy to Ignore.',
        );
}

function checkNode(context: StrategyContext, found: Findings, report: Report): void {
  const place = `Node ${context.host.nodeName}`;
  const facts = report.read(place, found.facts);
  if (facts !== undefined) {
    checkRoom(context, facts, report);
    checkPorts(context, facts, report);
    for (const program of facts.programs)
      report.refuse(
        place,
        'TOOL_RUNNING',
        `${quoted(program)} runs now, and changes what this would change.`,
        'Wait until it has ended.',
      );
    checkCertificates(facts, report);
  }
  checkServing(context, found, report);
  const images = report.read(`Images on ${context.host.nodeName}`, found.absentImages);
  for (const image of images ?? [])
    report.warn(
      place,
      'IMAGE_ABSENT',
      `The image ${quoted(image)} is not on the node, and is pulled before anything stops.`,
      'Pull it beforehand where the registry is slow or may be away.',
    );
}

function checkRoom({ host, hasSnapshot = false }: StrategyContext, facts: NodeFacts, report: Report): void {
  const place = `Node ${host.nodeName}`;
  const { memoryAvailableBytes: memory, diskFreeBytes: disk } = facts;
  const second = 'For a while the node runs a second API server.';
  if (memory < MEMORY.least)
    report.refuse(
      place,
      'MEMORY_LOW',
      `${inMiB(memory)} of memory are left. ${second}`,
      `Make room for ${inMiB(MEMORY.comfortable)}.`,
    );
  else if (memory < MEMORY.comfortable)
    report.warn(
      place,
      'MEMORY_LOW',
      `${inMiB(memory)} of memory are left. ${second}`,
      `Make room for ${inMiB(MEMORY.comfortable)}, or look at what its API server takes now.`,
    );
  const needed = hasSnapshot ? DISK.withSnapshot : DISK.least;
  if (disk < needed)
    report.refuse(
      place,
      'DISK_LOW',
      `${inMiB(disk)} are free where ${SNAPSHOT} goes, and ${inMiB(needed)} should be.`,
      hasSnapshot && disk >= DISK.least ? 'Make room, or leave the snapshot out with --no-snapshot.' : 'Make room.',
    );
}

function checkPorts(
  { relayPort, host, components }: StrategyContext,
  { ephemeralPorts }: NodeFacts,
  report: Report,
): void {
  const { from, to } = ephemeralPorts;
  if (components.includes('kube-apiserver') && relayPort >= from && relayPort <= to)
    report.refuse(
      `Node ${host.nodeName}`,
      'RELAY_PORT_TAKEN',
      `The node gives ports from ${from} to ${to} to outgoing connections, port ${relayPort} of the relay among them.`,
      'Take another one with --relay-port.',
    );
}

function checkCertificates({ certificates, now }: NodeFacts, report: Report): void {
  for (const { path, notAfter } of certificates) {
    const end = new Date(notAfter).toISOString().replace(/\.\d+Z$/, 'Z');
    if (notAfter <= now)
      report.refuse(
        path,
        'CERTIFICATE_EXPIRED',
        `The certificate ran out at ${end}.`,
        'Run `kubeadm certs renew all`, and restart what uses it.',
      );
    else if (notAfter - now < CERTIFICATE_LEFT)
      report.warn(
        path,
        'CERTIFICATE_EXPIRED',
        `The certificate runs out at ${end}.`,
        'Run `kubeadm certs renew all`; a roll with --restart lets the API server read it.',
      );
  }
}

function checkCluster({ components }: StrategyContext, found: Findings, report: Report): void {
  const members = report.read('etcd', found.etcd);
  for (const { name, isHealthy } of members ?? [])
    if (!isHealthy)
      report.refuse(
        `etcd member ${name}`,
        'ETCD_UNHEALTHY',
        'It does not answer, or knows no leader.',
        'Mend etcd first: a change puts it under load, and one more member that is away may be the majority.',
      );
  const service = report.read('Service default/kubernetes', found.service);
  if (!components.includes('kube-apiserver')) return;
  const { type = 'ClusterIP', clusterIP = '' } = service?.spec ?? {};
  if (service !== undefined && (type !== 'ClusterIP' || clusterIP === '' || clusterIP === 'None'))
    report.refuse(
      'Service default/kubernetes',
      'SERVICE_UNSUPPORTED',
      'It is no Service of type ClusterIP with an address, and a redirect cannot stand before it.',
      'Give it back the form that the API server made it in.',
    );
  const sets = report.read('DaemonSets of kube-system', found.daemonSets) ?? [];
  const ebpf = sets.find((name) => name === 'cilium' || name === 'calico-node-ebpf');
  if (ebpf !== undefined && !sets.includes('kube-proxy'))
    report.warn(
      `DaemonSet kube-system/${ebpf}`,
      'PROXY_UNSUPPORTED',
      'There is no kube-proxy: a proxy in eBPF answers Service addresses before the netfilter of the node sees them. Whether the redirect reaches these is proven before anything stops, on the node itself.',
      'Rehearse on a cluster of the same make, and watch a client in a Pod.',
    );
}

/** Marks of tools that write manifests of control planes, by the beginning of an annotation or label. */
const TOOLS: readonly (readonly [prefix: string, tool: string])[] = [
  ['etcd.k3s.cattle.io/', 'K3s'],
  ['openshift.io/', 'OpenShift'],
  ['rke.cattle.io/', 'RKE'],
  ['rke2.io/', 'RKE2'],
  ['talos.dev/', 'Talos'],
  ['kops.k8s.io/', 'kOps'],
];

function checkManifests({ manifests, components }: StrategyContext, report: Report): void {
  for (const component of components) {
    const { pod, path } = manifests[component];
    const tool = toolOf(pod);
    if (tool !== undefined)
      report.refuse(
        path,
        'MANIFEST_MANAGED',
        `The manifest is one that ${tool} writes, which would write it again.`,
        `Change the component by ${tool}.`,
      );
  }
}

function toolOf({ metadata }: Pod): string | undefined {
  const marks = { ...metadata.labels, ...metadata.annotations };
  const managedBy = marks['app.kubernetes.io/managed-by'];
  if (managedBy !== undefined) return quoted(managedBy);
  return TOOLS.find(([prefix]) => Object.keys(marks).some((key) => key.startsWith(prefix)))?.[1];
}

/** Whether a quota counts Pods with the priority class of the control plane. */
function countsControlPlane({ spec }: ObjectOf<'ResourceQuota'>): boolean {
  const { hard = {}, scopeSelector } = spec ?? {};
  if (!Object.keys(hard).some((name) => name === 'pods' || name === 'count/pods')) return false;
  return (scopeSelector?.matchExpressions ?? []).every(
    ({ scopeName, operator, values = [] }) =>
      scopeName !== 'PriorityClass' ||
      operator === 'Exists' ||
      (operator === 'In' && values.includes('system-node-critical')) ||
      (operator === 'NotIn' && !values.includes('system-node-critical')),
  );
}

/** What a change writes, by group. */
const WRITTEN: readonly { readonly group: string; readonly resources: readonly string[] }[] = [
  { group: '', resources: ['pods', 'nodes', 'configmaps'] },
  { group: 'apps', resources: ['daemonsets'] },
  { group: 'coordination.k8s.io', resources: ['leases'] },
  { group: 'discovery.k8s.io', resources: ['endpointslices'] },
];

function isInTheWay({ failurePolicy = 'Fail', namespaceSelector, objectSelector, rules = [] }: Webhook): boolean {
  if (failurePolicy !== 'Fail') return false;
  if (!selectsControlPlane(namespaceSelector)) return false;
  // A selector of objects may let everything of ours pass: what remains is found by the dry runs.
  if (objectSelector !== undefined && !isEmpty(objectSelector)) return false;
  return rules.some(concernsUs);
}

function concernsUs({ operations = ['*'], apiGroups = ['*'], resources = ['*'] }: WebhookRule): boolean {
  const isWritten = operations.some((operation) => ['*', 'CREATE', 'UPDATE', 'DELETE'].includes(operation));
  return (
    isWritten &&
    WRITTEN.some(
      ({ group, resources: own }) =>
        (apiGroups.includes('*') || apiGroups.includes(group)) &&
        (resources.includes('*') || resources.includes('*/*') || own.some((name) => resources.includes(name))),
    )
  );
}

/** Whether a selector of namespaces takes kube-system, which has the one label that every namespace has. */
function selectsControlPlane(selector: LabelSelector | undefined): boolean {
  const labels: Readonly<Record<string, string>> = { 'kubernetes.io/metadata.name': 'kube-system' };
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return operator satisfies never;
      }
    })
  );
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function minorOf(version: string | undefined): number | undefined {
  const minor = /^v1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function isTried(minor: number | undefined): boolean {
  return minor !== undefined && minor >= MINORS.from && minor <= MINORS.to;
}

function inMiB(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}
