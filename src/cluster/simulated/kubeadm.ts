import { dump } from 'js-yaml';
import { flagValue } from '../../format/flags.ts';
import type { ConfigMapObject } from '../api.ts';

export interface KubeadmSettings {
  /** Such as `v1.35.4`. */
  readonly version: string;
  /** Where images come from, such as `registry.k8s.io`. */
  readonly imageRepository: string;
  /** Where clients find the API, as `ADDRESS:PORT`, where that is no control plane itself. */
  readonly controlPlaneEndpoint?: string;
  /** What the first control plane starts a component with; nothing for one that is not there. */
  readonly argumentsOf: (component: KubeadmComponent) => readonly string[];
}

export type KubeadmComponent = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'etcd';

interface Argument {
  readonly name: string;
  readonly value: string;
}

/**
 * Flags that kubeadm 1.33 to 1.37 gives each component by itself. Those with a value have always that one: another value
 * comes from whoever configured the cluster.
 */
const OWN_FLAGS: Readonly<Record<KubeadmComponent, Readonly<Record<string, string | undefined>>>> = {
  'kube-apiserver': {
    ...any('advertise-address', 'client-ca-file', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'etcd-servers'),
    ...any('kubelet-client-certificate', 'kubelet-client-key', 'proxy-client-cert-file', 'proxy-client-key-file'),
    ...any('requestheader-client-ca-file', 'secure-port', 'service-account-issuer', 'service-account-key-file'),
    ...any('service-account-signing-key-file', 'service-cluster-ip-range', 'tls-cert-file', 'tls-private-key-file'),
    'allow-privileged': 'true',
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'enable-bootstrap-token-auth': 'true',
    'kubelet-preferred-address-types': 'InternalIP,ExternalIP,Hostname',
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
  },
  'kube-controller-manager': {
    ...any('authentication-kubeconfig', 'authorization-kubeconfig', 'client-ca-file', 'cluster-cidr', 'cluster-name'),
    ...any('cluster-signing-cert-file', 'cluster-signing-key-file', 'kubeconfig', 'requestheader-client-ca-file'),
    ...any('root-ca-file', 'service-account-private-key-file', 'service-cluster-ip-range'),
    'allocate-node-cidrs': 'true',
    'bind-address': '127.0.0.1',
    controllers: '*,bootstrapsigner,tokencleaner',
    'leader-elect': 'true',
    'use-service-account-credentials': 'true',
  },
  'kube-scheduler': {
    ...any('authentication-kubeconfig', 'authorization-kubeconfig', 'kubeconfig'),
    'bind-address': '127.0.0.1',
    'leader-elect': 'true',
  },
  etcd: {
    ...any('advertise-client-urls', 'cert-file', 'data-dir', 'initial-advertise-peer-urls', 'initial-cluster'),
    ...any(
      'initial-cluster-state',
      'key-file',
      'listen-client-urls',
      'listen-metrics-urls',
      'listen-peer-urls',
      'name',
    ),
    ...any('peer-cert-file', 'peer-key-file', 'peer-trusted-ca-file', 'trusted-ca-file'),
    'client-cert-auth': 'true',
    'experimental-initial-corrupt-check': 'true',
    'experimental-watch-progress-notify-interval': '5s',
    'feature-gates': 'InitialCorruptCheck=true',
    'peer-client-cert-auth': 'true',
    'snapshot-count': '10000',
    'watch-progress-notify-interval': '5s',
  },
};

/**
 * What kubeadm keeps of the configuration of a cluster, as the manifests have it: its next upgrade writes the manifests
 * again from this, so every flag that it would not give by itself is in it.
 */
export function kubeadmConfig(settings: KubeadmSettings): ConfigMapObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
    data: { ClusterConfiguration: dump(clusterConfiguration(settings), { sortKeys: true, lineWidth: -1 }) },
  };
}

function clusterConfiguration({
  version,
  imageRepository,
  controlPlaneEndpoint,
  argumentsOf,
}: KubeadmSettings): object {
  const server = argumentsOf('kube-apiserver');
  const controllers = argumentsOf('kube-controller-manager');
  const podSubnet = flagValue(controllers, 'cluster-cidr');
  return {
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'ClusterConfiguration',
    kubernetesVersion: version,
    apiServer: component('kube-apiserver', server),
    caCertificateValidityPeriod: '87600h0m0s',
    certificateValidityPeriod: '8760h0m0s',
    certificatesDir: '/etc/kubernetes/pki',
    clusterName: flagValue(controllers, 'cluster-name') ?? 'kubernetes',
    ...(controlPlaneEndpoint !== undefined && { controlPlaneEndpoint }),
    controllerManager: component('kube-controller-manager', controllers),
    dns: {},
    encryptionAlgorithm: 'RSA-2048',
    etcd: etcd(server, argumentsOf('etcd')),
    imageRepository,
    networking: {
      dnsDomain: 'cluster.local',
      ...(podSubnet !== undefined && { podSubnet }),
      serviceSubnet: flagValue(server, 'service-cluster-ip-range') ?? '10.96.0.0/12',
    },
    proxy: {},
    scheduler: component('kube-scheduler', argumentsOf('kube-scheduler')),
  };
}

function component(name: KubeadmComponent, argv: readonly string[]): object {
  const extraArgs = extraArguments(name, argv);
  return extraArgs.length > 0 ? { extraArgs } : {};
}

function etcd(server: readonly string[], argv: readonly string[]): object {
  if (argv.length > 0)
    return { local: { ...component('etcd', argv), dataDir: flagValue(argv, 'data-dir') ?? '/var/lib/etcd' } };
  return {
    external: {
      caFile: flagValue(server, 'etcd-cafile') ?? '',
      certFile: flagValue(server, 'etcd-certfile') ?? '',
      endpoints: (flagValue(server, 'etcd-servers') ?? '').split(',').filter((endpoint) => endpoint !== ''),
      keyFile: flagValue(server, 'etcd-keyfile') ?? '',
    },
  };
}

/** Arguments that kubeadm has from its configuration alone, in the order of their names as it writes them. */
function extraArguments(name: KubeadmComponent, argv: readonly string[]): readonly Argument[] {
  const own = OWN_FLAGS[name];
  return flagsOf(argv)
    .filter((flag) => !Object.hasOwn(own, flag.name) || (own[flag.name] ?? flag.value) !== flag.value)
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** Every flag of a command line, in order. */
function flagsOf(argv: readonly string[]): readonly Argument[] {
  return argv.flatMap((element, index): Argument[] => {
    const [, name, value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(element) ?? [];
    if (name === undefined) return [];
    const next = argv[index + 1];
    const behind = next === undefined || next.startsWith('--') ? 'true' : next;
    return [{ name: name.replaceAll('_', '-'), value: value ?? behind }];
  });
}

function any(...names: readonly string[]): Readonly<Record<string, undefined>> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
