import type { Container, Pod, Probe } from '../objects.ts';

/** What a simulated control plane is made of when nobody brings manifests: what kubeadm 1.35 writes on a new node. */
export interface StockSettings {
  readonly address: string;
  /** Default: v1.35.4. */
  readonly version?: string;
}

const PKI = '/etc/kubernetes/pki';

/** Manifests of a control-plane node by the name of their file, as JSON, which the kubelet reads as well as YAML. */
export function stockManifests({ address, version = 'v1.35.4' }: StockSettings): Readonly<Record<string, string>> {
  // A port behind an IPv6 address needs brackets.
  const host = address.includes(':') ? `[${address}]` : address;
  const image = (name: string): string => `registry.k8s.io/${name}:${version}`;
  const pods = [
    staticPod({
      name: 'etcd',
      image: 'registry.k8s.io/etcd:3.6.6-0',
      flags: {
        'advertise-client-urls': `https://${host}:2379`,
        'data-dir': '/var/lib/etcd',
        'listen-client-urls': `https://127.0.0.1:2379,https://${host}:2379`,
      },
      cpu: '100m',
      paths: ['/var/lib/etcd', `${PKI}/etcd`],
    }),
    staticPod({
      name: 'kube-apiserver',
      image: image('kube-apiserver'),
      flags: {
        'advertise-address': address,
        'allow-privileged': 'true',
        'authorization-mode': 'Node,RBAC',
        'client-ca-file': `${PKI}/ca.crt`,
        'enable-admission-plugins': 'NodeRestriction',
        'enable-bootstrap-token-auth': 'true',
        'etcd-cafile': `${PKI}/etcd/ca.crt`,
        'etcd-certfile': `${PKI}/apiserver-etcd-client.crt`,
        'etcd-keyfile': `${PKI}/apiserver-etcd-client.key`,
        'etcd-servers': 'https://127.0.0.1:2379',
        'secure-port': '6443',
        'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
        'service-account-key-file': `${PKI}/sa.pub`,
        'service-account-signing-key-file': `${PKI}/sa.key`,
        'service-cluster-ip-range': '10.96.0.0/12',
        'tls-cert-file': `${PKI}/apiserver.crt`,
        'tls-private-key-file': `${PKI}/apiserver.key`,
      },
      cpu: '250m',
      paths: [PKI],
      annotations: { 'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint': `${host}:6443` },
      probes: { host: address, port: 6443, live: '/livez', ready: '/readyz' },
    }),
    staticPod({
      name: 'kube-controller-manager',
      image: image('kube-controller-manager'),
      flags: {
        'bind-address': '127.0.0.1',
        kubeconfig: '/etc/kubernetes/controller-manager.conf',
        'leader-elect': 'true',
        'service-account-private-key-file': `${PKI}/sa.key`,
        'use-service-account-credentials': 'true',
      },
      cpu: '200m',
      paths: [PKI, '/etc/kubernetes/controller-manager.conf'],
      probes: { host: '127.0.0.1', port: 10257, live: '/healthz' },
    }),
    staticPod({
      name: 'kube-scheduler',
      image: image('kube-scheduler'),
      flags: {
        'bind-address': '127.0.0.1',
        kubeconfig: '/etc/kubernetes/scheduler.conf',
        'leader-elect': 'true',
      },
      cpu: '100m',
      paths: ['/etc/kubernetes/scheduler.conf'],
      probes: { host: '127.0.0.1', port: 10259, live: '/livez', ready: '/readyz' },
    }),
  ];
  return Object.fromEntries(pods.map((pod) => [`${pod.metadata.name}.yaml`, `${JSON.stringify(pod, undefined, 2)}\n`]));
}

interface PodSettings {
  readonly name: string;
  readonly image: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly cpu: string;
  /** Directories and files of the host that it mounts where they are. */
  readonly paths: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly probes?: { readonly host: string; readonly port: number; readonly live: string; readonly ready?: string };
}

function staticPod({ name, image, flags, cpu, paths, annotations, probes }: PodSettings): Pod {
  const volumes = paths.map((path, index) => ({ name: `volume-${index}`, hostPath: { path } }));
  const container: Container = {
    name,
    image,
    command: [name, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
    ...(probes && probesOf(probes)),
    resources: { requests: { cpu } },
    volumeMounts: paths.map((path, index) => ({
      name: `volume-${index}`,
      mountPath: path,
      ...(name !== 'etcd' && { readOnly: true }),
    })),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'kube-system',
      labels: { component: name, tier: 'control-plane' },
      ...(annotations && { annotations }),
    },
    spec: {
      containers: [container],
      hostNetwork: true,
      priority: 2_000_001_000,
      priorityClassName: 'system-node-critical',
      volumes,
    },
  };
}

/** One port with a name, by which the probes ask for it: so kubeadm does it from 1.34 on. */
function probesOf({ host, port, live, ready }: NonNullable<PodSettings['probes']>): Partial<Container> {
  const probe = (path: string, more: object): Probe => ({
    httpGet: { host, path, port: 'probe-port', scheme: 'HTTPS' },
    timeoutSeconds: 15,
    ...more,
  });
  return {
    ports: [{ name: 'probe-port', containerPort: port, protocol: 'TCP' }],
    livenessProbe: probe(live, { initialDelaySeconds: 10, periodSeconds: 10, failureThreshold: 8 }),
    startupProbe: probe(live, { initialDelaySeconds: 10, periodSeconds: 10, failureThreshold: 24 }),
    ...(ready !== undefined && { readinessProbe: probe(ready, { periodSeconds: 1, failureThreshold: 3 }) }),
  };
}
