import { profileOf, type ProfileName } from './profiles.ts';

/**
 * The options as data: what each field is, where it exists and what it means. The option reader, the
 * JSON Schema, the option reference in docs and the types in options.ts all come from these tables.
 */
export type FieldType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'percent'
  | 'duration'
  | 'string list'
  | 'string map'
  | 'duration map'
  | 'taint list'
  | 'kubelet configuration'
  | 'overrides';

export interface FieldFact {
  readonly name: string;
  readonly type: FieldType;
  /** Profiles that have the field. */
  readonly profiles: readonly ProfileName[];
  /** Whether strict mode refuses options without the field. */
  readonly required?: true;
  /** Whether the value must never be shown. */
  readonly secret?: true;
  /** One paragraph: what it does, with its unit. */
  readonly doc: string;
  /** What happens when it is absent. */
  readonly default: string;
  /** First version of bootlace that has the field. */
  readonly since: string;
  readonly example?: unknown;
  /** Another example for a profile that does not take the first one. */
  readonly exampleFor?: Partial<Record<ProfileName, unknown>>;
  /** The only values that strict mode takes, where a short list exists. */
  readonly values?: Partial<Record<ProfileName, readonly string[]>>;
  /** The kubelet flag that the field sets. */
  readonly flag?: string;
  /** What stands between key and value in the flag of a map. */
  readonly separator?: '=' | '<';
  /** A pattern that every value that strict mode takes matches. */
  readonly pattern?: string;
}

const BOTH: readonly ProfileName[] = ['aks/v0.4.0', 'aks/v1.14'];
const SEED: readonly ProfileName[] = ['aks/v0.4.0'];
const TODAY: readonly ProfileName[] = ['aks/v1.14'];

const POLICIES = { 'aks/v0.4.0': ['', 'azure', 'calico', 'cilium'], 'aks/v1.14': ['', 'azure', 'calico', 'cilium'] };

const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** Fields of `Options`: what Karpenter knows of a node pool. */
export const POOL_FIELDS: readonly FieldFact[] = [
  {
    name: 'clusterName',
    type: 'string',
    profiles: BOTH,
    doc: 'Name of the cluster. It never reaches the script, in Go as here, and is accepted so that a caller can pass on what it has.',
    default: 'no effect',
    since: '0.1.0',
    example: 'demo',
  },
  {
    name: 'clusterEndpoint',
    type: 'string',
    profiles: BOTH,
    doc: 'URL of the API server. It never reaches the script, in Go as here: the node takes `apiServerName`.',
    default: 'no effect',
    since: '0.1.0',
    example: 'https://demo-dns-abc123.hcp.westus2.azmk8s.io:443',
  },
  {
    name: 'kubeletConfig',
    type: 'kubelet configuration',
    profiles: BOTH,
    doc: "Settings of the kubelet, each of which replaces one flag of the profile's base set.",
    default: 'the base flags alone',
    since: '0.1.0',
    example: { maxPods: 110 },
  },
  {
    name: 'taints',
    type: 'taint list',
    profiles: BOTH,
    doc: 'Taints that the node registers with, kept in the order given. A key may come several times with different effects.',
    default: 'no taint',
    since: '0.1.0',
    example: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }],
  },
  {
    name: 'labels',
    type: 'string map',
    profiles: BOTH,
    doc: 'Labels that the node registers with. On aks/v0.4.0 the profile adds mode, role and cluster; on aks/v1.14 the caller owns every label.',
    default: 'none on aks/v1.14, the three of the profile on aks/v0.4.0',
    since: '0.1.0',
    example: { team: 'payments' },
  },
  {
    name: 'caBundle',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: "Certificates of the cluster's certificate authority: base64 of PEM. Raw PEM and base64 with line breaks are taken and encoded (lenient passes the text on as it is).",
    default: 'required; Go panics without it',
    since: '0.1.0',
  },
  {
    name: 'gpuNode',
    type: 'boolean',
    profiles: BOTH,
    doc: 'Whether the machine has a GPU that the node scripts set up.',
    default: 'false',
    since: '0.1.0',
  },
  {
    name: 'gpuDriverVersion',
    type: 'string',
    profiles: BOTH,
    doc: 'Version of the GPU driver. On aks/v0.4.0 it begins with the driver type, as in `cuda-535.54.03`.',
    default: 'empty; required while GPU set-up is on',
    since: '0.1.0',
    example: '580.159.04',
  },
  {
    name: 'gpuDriverType',
    type: 'string',
    profiles: TODAY,
    doc: 'Kind of the GPU driver, a part of the name of its image: `cuda`, `cuda-lts`, `grid` and so on.',
    default: 'empty; required while GPU set-up is on',
    since: '0.1.0',
    example: 'cuda-lts',
  },
  {
    name: 'gpuImageSHA',
    type: 'string',
    profiles: BOTH,
    doc: "Suffix of the GPU driver image's tag. Write it in quotes: unquoted YAML digits are a number.",
    default: 'empty; required while GPU set-up is on',
    since: '0.1.0',
    example: '20260629214430',
  },
  {
    name: 'gpuDriverInstallationEnabled',
    type: 'boolean',
    profiles: TODAY,
    doc: 'Whether the node scripts install the GPU driver. False (the default, as in Go) turns the whole GPU set-up off, for users of the GPU Operator.',
    default: 'false',
    since: '0.1.0',
  },
  {
    name: 'subnetId',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: 'Azure resource ID of the subnet. Names of the virtual network, its resource group and the subnet are taken from it; their case is kept.',
    default: 'required; lenient leaves the three variables empty, as Go does',
    since: '0.1.0',
    example:
      '/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/network/providers/Microsoft.Network/virtualNetworks/vnet/subnets/nodes',
  },
];

/** Fields that the AKS bootstrapper adds to `Options`: what is known of the cluster. */
export const AKS_FIELDS: readonly FieldFact[] = [
  {
    name: 'arch',
    type: 'string',
    profiles: BOTH,
    required: true,
    values: { 'aks/v0.4.0': ['amd64', 'arm64'], 'aks/v1.14': ['amd64', 'arm64'] },
    doc: 'CPU architecture of the machine, a part of every download URL.',
    default: 'required',
    since: '0.1.0',
    example: 'amd64',
  },
  {
    name: 'tenantId',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: 'Entra tenant of the subscription, a uuid (another text is a warning).',
    default: 'required',
    since: '0.1.0',
    example: '72f988bf-0000-4000-8000-2d7cd011db47',
  },
  {
    name: 'subscriptionId',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: 'Azure subscription of the node, a uuid (another text is a warning).',
    default: 'required',
    since: '0.1.0',
    example: '12345678-1234-1234-1234-123456789012',
  },
  {
    name: 'userAssignedIdentityId',
    type: 'string',
    profiles: SEED,
    required: true,
    pattern: UUID,
    doc: "Client ID of the kubelet's managed identity, a uuid. aks/v1.14 calls it `kubeletIdentityClientId`.",
    default: 'required',
    since: '0.1.0',
    example: '11111111-2222-4333-8444-555555555555',
  },
  {
    name: 'kubeletIdentityClientId',
    type: 'string',
    profiles: TODAY,
    required: true,
    pattern: UUID,
    doc: "Client ID of the kubelet's managed identity, a uuid. aks/v0.4.0 calls it `userAssignedIdentityId`.",
    default: 'required',
    since: '0.1.0',
    example: '11111111-2222-4333-8444-555555555555',
  },
  {
    name: 'location',
    type: 'string',
    profiles: BOTH,
    required: true,
    pattern: '^[a-z0-9]+$',
    doc: 'Azure region in its short form, such as `westus2`.',
    default: 'required',
    since: '0.1.0',
    example: 'westus2',
  },
  {
    name: 'resourceGroup',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: "The cluster's node resource group, 1 to 90 characters. On aks/v0.4.0 the cluster label is made from it.",
    default: 'required',
    since: '0.1.0',
    example: 'MC_demo_demo_westus2',
  },
  {
    name: 'clusterId',
    type: 'string',
    profiles: SEED,
    required: true,
    pattern: '^[A-Za-z0-9._-]+$',
    doc: 'Eight digits that AKS puts into the names of the network security group and the route table. Write them in quotes: unquoted YAML digits are a number.',
    default: 'required',
    since: '0.1.0',
    example: '16233412',
  },
  {
    name: 'networkSecurityGroupName',
    type: 'string',
    profiles: TODAY,
    required: true,
    doc: "Name of the node subnet's network security group.",
    default: 'required',
    since: '0.1.0',
    example: 'aks-agentpool-16233412-nsg',
  },
  {
    name: 'routeTableName',
    type: 'string',
    profiles: TODAY,
    required: true,
    doc: "Name of the node subnet's route table.",
    default: 'required',
    since: '0.1.0',
    example: 'aks-agentpool-16233412-routetable',
  },
  {
    name: 'apiServerName',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: 'DNS name or IPv4 address of the API server, without scheme and port: the node adds https and 443.',
    default: 'required',
    since: '0.1.0',
    example: 'demo-dns-abc123.hcp.westus2.azmk8s.io',
  },
  {
    name: 'kubeletClientTLSBootstrapToken',
    type: 'string',
    profiles: BOTH,
    required: true,
    secret: true,
    pattern: '^[a-z0-9]{6}\\.[a-z0-9]{16}$',
    doc: 'Bootstrap token with which the kubelet asks for its first certificate: six characters, a dot, sixteen characters. Secret.',
    default: 'required',
    since: '0.1.0',
  },
  {
    name: 'networkPlugin',
    type: 'string',
    profiles: BOTH,
    required: true,
    values: { 'aks/v0.4.0': ['azure', 'kubenet', 'none'], 'aks/v1.14': ['azure', 'none'] },
    doc: 'Network plugin that the node scripts install. Karpenter sends `none` for Azure CNI overlay.',
    default: 'required',
    since: '0.1.0',
    example: 'none',
  },
  {
    name: 'networkPolicy',
    type: 'string',
    profiles: BOTH,
    values: POLICIES,
    doc: 'Network policy engine of the cluster.',
    default: 'empty: none',
    since: '0.1.0',
    example: 'cilium',
  },
  {
    name: 'kubernetesVersion',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: 'Kubernetes version of the node: three numbers without a leading v; pre-release and build are allowed. Write it in quotes.',
    default: 'required',
    since: '0.1.0',
    example: profileOf('aks/v1.14').exampleVersion,
    exampleFor: { 'aks/v0.4.0': profileOf('aks/v0.4.0').exampleVersion },
  },
  {
    name: 'overrides',
    type: 'overrides',
    profiles: BOTH,
    doc: 'Bootstrap variables that no other option reaches, by field name: proxy, certificates, swap and so on. See the variable reference. An override brings its companions with it, or is refused.',
    default: 'the values of the profile',
    since: '0.1.0',
    example: { swapFileSizeMB: 2048 },
  },
  {
    name: 'extraVariables',
    type: 'string map',
    profiles: BOTH,
    secret: true,
    doc: 'Variables that the node scripts read and the profile does not set, by shell name. Values are treated as secrets.',
    default: 'none',
    since: '0.1.0',
    example: { DISABLE_PUBKEY_AUTH: 'true' },
  },
];

/** Fields of `kubeletConfig`, spelt as Kubernetes JSON spells them. */
export const KUBELET_FIELDS: readonly FieldFact[] = [
  {
    name: 'maxPods',
    type: 'int32',
    flag: '--max-pods',
    profiles: BOTH,
    doc: 'Most Pods on the node: `--max-pods`. Must be set whenever `kubeletConfig` is on aks/v1.14, where Go makes 0 of an absent one.',
    default: '110 (aks/v0.4.0, or no `kubeletConfig` at all)',
    since: '0.1.0',
    example: 110,
  },
  {
    name: 'podsPerCore',
    type: 'int32',
    flag: '--pods-per-core',
    profiles: SEED,
    doc: 'Most Pods per CPU core: `--pods-per-core`; 0 is no limit.',
    default: 'no limit',
    since: '0.1.0',
  },
  {
    name: 'clusterDNS',
    type: 'string list',
    profiles: SEED,
    doc: 'Accepted and dropped by the profile, in Go as under lenient: strict refuses it. aks/v1.14 has `clusterDNSServiceIP`.',
    default: '10.0.0.10, always',
    since: '0.1.0',
  },
  {
    name: 'clusterDNSServiceIP',
    type: 'string',
    flag: '--cluster-dns',
    profiles: TODAY,
    doc: "IP address of the cluster's DNS Service: `--cluster-dns`.",
    default: '10.0.0.10',
    since: '0.1.0',
    example: '10.100.0.10',
  },
  {
    name: 'systemReserved',
    type: 'string map',
    flag: '--system-reserved',
    separator: '=',
    profiles: BOTH,
    doc: 'Resources kept for the system: `--system-reserved`. Keys cpu, memory, ephemeral-storage, pid; values are quantities.',
    default: 'nothing',
    since: '0.1.0',
    example: { cpu: '100m', memory: '200Mi' },
  },
  {
    name: 'kubeReserved',
    type: 'string map',
    flag: '--kube-reserved',
    separator: '=',
    profiles: BOTH,
    doc: 'Resources kept for the kubelet and the container runtime: `--kube-reserved`. Keys and values as in `systemReserved`.',
    default: 'nothing',
    since: '0.1.0',
    example: { cpu: '100m', memory: '1843Mi' },
  },
  {
    name: 'evictionHard',
    type: 'string map',
    flag: '--eviction-hard',
    separator: '<',
    profiles: BOTH,
    doc: 'Thresholds below which Pods are evicted at once: `--eviction-hard`. Values are quantities or percentages. A map replaces all thresholds of the base.',
    default: 'memory.available 750Mi, nodefs.available 10%, nodefs.inodesFree 5%',
    since: '0.1.0',
    example: { 'memory.available': '750Mi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
  },
  {
    name: 'evictionSoft',
    type: 'string map',
    flag: '--eviction-soft',
    separator: '<',
    profiles: BOTH,
    doc: 'Thresholds below which Pods are evicted after a grace period: `--eviction-soft`. Each needs one in `evictionSoftGracePeriod`.',
    default: 'none',
    since: '0.1.0',
    example: { 'memory.available': '1Gi' },
  },
  {
    name: 'evictionSoftGracePeriod',
    type: 'duration map',
    flag: '--eviction-soft-grace-period',
    separator: '=',
    profiles: BOTH,
    doc: 'How long a soft threshold is crossed before Pods are evicted, a Go duration by signal: `--eviction-soft-grace-period`.',
    default: 'none',
    since: '0.1.0',
    example: { 'memory.available': '1m30s' },
  },
  {
    name: 'evictionMaxPodGracePeriod',
    type: 'int32',
    flag: '--eviction-max-pod-grace-period',
    profiles: BOTH,
    doc: "Longest termination grace of a Pod that a soft threshold evicts, in seconds: `--eviction-max-pod-grace-period`. Negative: the Pod's own.",
    default: '0',
    since: '0.1.0',
  },
  {
    name: 'imageGCHighThresholdPercent',
    type: 'percent',
    flag: '--image-gc-high-threshold',
    profiles: BOTH,
    doc: 'Disk usage from which unused images are removed, in percent: `--image-gc-high-threshold`.',
    default: '85',
    since: '0.1.0',
  },
  {
    name: 'imageGCLowThresholdPercent',
    type: 'percent',
    flag: '--image-gc-low-threshold',
    profiles: BOTH,
    doc: 'Disk usage down to which unused images are removed, in percent: `--image-gc-low-threshold`. Must be below the high threshold.',
    default: '80',
    since: '0.1.0',
  },
  {
    name: 'cpuCFSQuota',
    type: 'boolean',
    flag: '--cpu-cfs-quota',
    profiles: BOTH,
    doc: 'Whether CPU limits are enforced: `--cpu-cfs-quota`.',
    default: 'true',
    since: '0.1.0',
  },
  {
    name: 'cpuCFSQuotaPeriod',
    type: 'duration',
    flag: '--cpu-cfs-quota-period',
    profiles: TODAY,
    doc: 'Period over which CPU limits are enforced, a Go duration from 1ms to 1s: `--cpu-cfs-quota-period`, with the feature gate that it needs. Go, and lenient, drop it.',
    default: '100ms',
    since: '0.1.0',
    example: '50ms',
  },
  {
    name: 'failSwapOn',
    type: 'boolean',
    flag: '--fail-swap-on',
    profiles: TODAY,
    doc: 'Whether the kubelet refuses to start on a machine with swap: `--fail-swap-on`. Go, and lenient, drop it.',
    default: 'true',
    since: '0.1.0',
  },
  {
    name: 'cpuManagerPolicy',
    type: 'string',
    flag: '--cpu-manager-policy',
    profiles: TODAY,
    values: { 'aks/v1.14': ['', 'none', 'static'] },
    doc: 'How CPUs are given to containers: `--cpu-manager-policy`. `static` needs a CPU reservation.',
    default: 'none',
    since: '0.1.0',
    example: 'static',
  },
  {
    name: 'topologyManagerPolicy',
    type: 'string',
    flag: '--topology-manager-policy',
    profiles: TODAY,
    values: { 'aks/v1.14': ['', 'none', 'best-effort', 'restricted', 'single-numa-node'] },
    doc: 'How resources are aligned to NUMA nodes: `--topology-manager-policy`.',
    default: 'none',
    since: '0.1.0',
  },
  {
    name: 'containerLogMaxSize',
    type: 'string',
    flag: '--container-log-max-size',
    profiles: TODAY,
    doc: "Size from which a container's log is rotated, a quantity of whole bytes: `--container-log-max-size`.",
    default: '10Mi',
    since: '0.1.0',
    example: '50Mi',
  },
  {
    name: 'containerLogMaxFiles',
    type: 'int32',
    flag: '--container-log-max-files',
    profiles: TODAY,
    doc: 'Most log files of a container, 2 or more: `--container-log-max-files`.',
    default: '5',
    since: '0.1.0',
  },
  {
    name: 'podPidsLimit',
    type: 'int64',
    flag: '--pod-max-pids',
    profiles: TODAY,
    doc: "Most processes in a Pod: `--pod-max-pids`; -1 is the node's own limit.",
    default: '-1',
    since: '0.1.0',
    example: 4096,
  },
  {
    name: 'allowedUnsafeSysctls',
    type: 'string list',
    flag: '--allowed-unsafe-sysctls',
    profiles: TODAY,
    doc: 'Unsafe sysctls that Pods may set, names or patterns that end in `*`: `--allowed-unsafe-sysctls`.',
    default: 'none',
    since: '0.1.0',
    example: ['net.core.somaxconn', 'kernel.msg*'],
  },
];

/** Fields of one taint, spelt as Kubernetes JSON spells them. */
export const TAINT_FIELDS: readonly FieldFact[] = [
  {
    name: 'key',
    type: 'string',
    profiles: BOTH,
    required: true,
    doc: 'Key of the taint, a qualified name.',
    default: 'required',
    since: '0.1.0',
    example: 'dedicated',
  },
  {
    name: 'value',
    type: 'string',
    profiles: BOTH,
    doc: 'Value of the taint, as a label value.',
    default: 'empty',
    since: '0.1.0',
    example: 'batch',
  },
  {
    name: 'effect',
    type: 'string',
    profiles: BOTH,
    required: true,
    values: {
      'aks/v0.4.0': ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
      'aks/v1.14': ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
    },
    doc: 'What happens to Pods that do not tolerate the taint.',
    default: 'required; lenient prints the taint without one, as Go does, and the kubelet refuses it',
    since: '0.1.0',
    example: 'NoSchedule',
  },
  {
    name: 'timeAdded',
    type: 'string',
    profiles: BOTH,
    doc: 'Part of the Kubernetes type. It never reaches the script.',
    default: 'no effect',
    since: '0.1.0',
  },
];

/** The example of a field that a profile takes. */
export function exampleOf(fact: FieldFact, profile: ProfileName): unknown {
  return fact.exampleFor?.[profile] ?? fact.example;
}

export const OPTION_FIELDS: readonly FieldFact[] = [...POOL_FIELDS, ...AKS_FIELDS];
