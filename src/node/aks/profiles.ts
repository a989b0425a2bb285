/**
 * Every fact that depends on the profile or on the Kubernetes version, as one table. Nothing else in this
 * folder compares a version number or a profile name.
 *
 * Facts were read from the public source of the Azure provider of Karpenter at tag v0.4.0 and at its
 * 2026-08 head (v1.14); what its package really printed is under test/golden/aks.
 */
export type ProfileName = 'aks/v0.4.0' | 'aks/v1.14';

export const PROFILE_NAMES: readonly ProfileName[] = ['aks/v0.4.0', 'aks/v1.14'];

/** A kubelet flag of the base set, and the minor versions of Kubernetes 1 that get it. */
export interface FlagFact {
  readonly flag: string;
  readonly value: string;
  /** First minor that gets the flag; absent: from the beginning. */
  readonly from?: number;
  /** First minor that no longer gets it; absent: it stays. */
  readonly below?: number;
}

export interface Profile {
  readonly name: ProfileName;
  /**
   * `strict`: the version decides rules, and one that does not parse has no result (Go panics).
   * `verbatim`: any text is taken into the download URL.
   */
  readonly versionRule: 'strict' | 'verbatim';
  /** A version that the profile was made for, for hints. */
  readonly exampleVersion: string;
  /** Minors of Kubernetes 1 that the profile was made for; others get a warning, or an error from `brokenFrom`. */
  readonly minors: { readonly oldest: number; readonly newest: number };
  /** First minor on which the kubelet refuses the rendered flags, and why. */
  readonly brokenFrom?: { readonly minor: number; readonly reason: string };
  /** Minors that start but lose something, and what. */
  readonly limited: readonly { readonly minor: number; readonly reason: string }[];
  readonly flags: readonly FlagFact[];
  /** First minor whose kubelet comes from packages, so that the download URL stays empty. */
  readonly binaryUrlBelow: number;
  /** Version of the image credential provider by minor; `undefined` where the profile has no such variable. */
  readonly credentialProvider?: {
    readonly from: number;
    readonly versions: Readonly<Record<number, string>>;
    readonly otherwise: string;
  };
  readonly networkPlugins: readonly string[];
  /** Whether the network security group and the route table are named after `clusterId`. */
  readonly namesFromClusterId: boolean;
  /** Whether the profile adds labels of its own (mode, role, cluster). */
  readonly addsLabels: boolean;
  /** Whether GPU set-up needs `gpuDriverInstallationEnabled` besides `gpuNode`, and a driver type. */
  readonly gpuSwitch: boolean;
  /** Whether `configGPUDriverIfNeeded` is on even on a node without GPU. */
  readonly configGPUDriverAlways: boolean;
  /** Whether `--max-pods` is printed whenever there is a kubelet configuration, so that unset becomes 0. */
  readonly maxPodsAlways: boolean;
  /** Whether the bridge variant of containerd's configuration and the kubenet template exist. */
  readonly kubenet: boolean;
  readonly vmType: string;
}

export const NETWORK_POLICIES: readonly string[] = ['', 'azure', 'calico', 'cilium'];
export const ARCHITECTURES: readonly string[] = ['amd64', 'arm64'];

const CIPHERS = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
];

/** The thresholds that a node has when the user gives none: of memory and of the disk. */
export const DEFAULT_HARD_EVICTION: readonly (readonly [signal: string, threshold: string])[] = [
  ['memory.available', '750Mi'],
  ['nodefs.available', '10%'],
  ['nodefs.inodesFree', '5%'],
];

const COMMON_FLAGS: readonly FlagFact[] = [
  { flag: '--address', value: '0.0.0.0' },
  { flag: '--anonymous-auth', value: 'false' },
  { flag: '--authentication-token-webhook', value: 'true' },
  { flag: '--authorization-mode', value: 'Webhook' },
  { flag: '--cgroups-per-qos', value: 'true' },
  { flag: '--client-ca-file', value: '/etc/kubernetes/certs/ca.crt' },
  { flag: '--cloud-provider', value: 'external' },
  { flag: '--cluster-dns', value: '10.0.0.10' },
  { flag: '--cluster-domain', value: 'cluster.local' },
  { flag: '--enforce-node-allocatable', value: 'pods' },
  { flag: '--event-qps', value: '0' },
  { flag: '--eviction-hard', value: DEFAULT_HARD_EVICTION.map((entry) => entry.join('<')).join(',') },
  { flag: '--image-gc-high-threshold', value: '85' },
  { flag: '--image-gc-low-threshold', value: '80' },
  { flag: '--kubeconfig', value: '/var/lib/kubelet/kubeconfig' },
  { flag: '--max-pods', value: '110' },
  { flag: '--node-status-update-frequency', value: '10s' },
  { flag: '--pod-manifest-path', value: '/etc/kubernetes/manifests' },
  { flag: '--pod-max-pids', value: '-1' },
  { flag: '--protect-kernel-defaults', value: 'true' },
  { flag: '--read-only-port', value: '0' },
  { flag: '--resolv-conf', value: '/run/systemd/resolve/resolv.conf' },
  { flag: '--rotate-certificates', value: 'true' },
  { flag: '--streaming-connection-idle-timeout', value: '4h' },
  { flag: '--tls-cert-file', value: '/etc/kubernetes/certs/kubeletserver.crt' },
  { flag: '--tls-cipher-suites', value: CIPHERS.join(',') },
  { flag: '--tls-private-key-file', value: '/etc/kubernetes/certs/kubeletserver.key' },
];

const PAUSE_IMAGE = 'mcr.microsoft.com/oss/kubernetes/pause:3.6';
const AZURE_JSON = '/etc/kubernetes/azure.json';

const CONTRACTS: Readonly<Record<ProfileName, Profile>> = {
  'aks/v0.4.0': {
    name: 'aks/v0.4.0',
    versionRule: 'verbatim',
    exampleVersion: '1.28.9',
    minors: { oldest: 0, newest: 29 },
    brokenFrom: {
      minor: 30,
      reason: 'the kubelet dropped --azure-container-registry-config in 1.30 and exits on flags that it does not know',
    },
    limited: [
      {
        minor: 29,
        reason:
          'since 1.29 the kubelet no longer fetches registry credentials by itself, so images of Azure Container Registry fail with 401',
      },
    ],
    flags: [
      ...COMMON_FLAGS,
      { flag: '--azure-container-registry-config', value: AZURE_JSON },
      { flag: '--cloud-config', value: AZURE_JSON },
      { flag: '--keep-terminated-pod-volumes', value: 'false' },
      { flag: '--pod-infra-container-image', value: PAUSE_IMAGE },
    ],
    binaryUrlBelow: Number.POSITIVE_INFINITY,
    networkPlugins: ['azure', 'kubenet', 'none'],
    namesFromClusterId: true,
    addsLabels: true,
    gpuSwitch: false,
    configGPUDriverAlways: true,
    maxPodsAlways: false,
    kubenet: true,
    vmType: 'vmss',
  },
  'aks/v1.14': {
    name: 'aks/v1.14',
    versionRule: 'strict',
    exampleVersion: '1.33.7',
    minors: { oldest: 28, newest: 36 },
    limited: [],
    flags: [
      ...COMMON_FLAGS,
      { flag: '--azure-container-registry-config', value: AZURE_JSON, below: 30 },
      { flag: '--cloud-config', value: AZURE_JSON, below: 34 },
      { flag: '--feature-gates', value: 'DisableKubeletCloudCredentialProviders=false', below: 30 },
      { flag: '--image-credential-provider-bin-dir', value: '/var/lib/kubelet/credential-provider', from: 30 },
      {
        flag: '--image-credential-provider-config',
        value: '/var/lib/kubelet/credential-provider-config.yaml',
        from: 30,
      },
      { flag: '--keep-terminated-pod-volumes', value: 'false', below: 31 },
      { flag: '--pod-infra-container-image', value: PAUSE_IMAGE, below: 35 },
    ],
    binaryUrlBelow: 34,
    credentialProvider: {
      from: 30,
      versions: { 30: '1.30.12', 31: '1.31.6', 32: '1.32.5' },
      otherwise: '1.33.0',
    },
    networkPlugins: ['azure', 'none'],
    namesFromClusterId: false,
    addsLabels: false,
    gpuSwitch: true,
    configGPUDriverAlways: false,
    maxPodsAlways: true,
    kubenet: false,
    vmType: 'standard',
  },
};

export function profileOf(name: ProfileName): Profile {
  return CONTRACTS[name];
}

/** Where node images and scripts download from when nothing is cached on the image. */
const MIRROR = 'https://acs-mirror.azureedge.net';

export function kubeBinaryUrl(version: string, arch: string): string {
  return `${MIRROR}/kubernetes/v${version}/binaries/kubernetes-node-linux-${arch}.tar.gz`;
}

export function credentialProviderUrl(version: string, arch: string): string {
  return `${MIRROR}/cloud-provider-azure/v${version}/binaries/azure-acr-credential-provider-linux-${arch}-v${version}.tar.gz`;
}

export function azureCniUrl(arch: string): string {
  return `${MIRROR}/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-${arch}-v1.4.32.tgz`;
}

export function cniPluginsUrl(arch: string): string {
  return `${MIRROR}/cni-plugins/v1.1.1/binaries/cni-plugins-linux-${arch}-v1.1.1.tgz`;
}

/** The image of the sandbox container, as containerd's configuration names it. */
export const SANDBOX_IMAGE = PAUSE_IMAGE;
