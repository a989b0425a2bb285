import { usageError } from './errors.ts';

/** The version that a bench runs when nobody asks for another. */
export const DEFAULT_KUBERNETES = 'v1.35.4';

/** The parts that do not follow the version of Kubernetes, by Go module and version. */
export const PARTS = {
  etcd: {
    module: 'go.etcd.io/etcd/server/v3',
    package: 'go.etcd.io/etcd/server/v3',
    version: 'v3.6.13',
    binary: 'etcd',
  },
  crictl: {
    module: 'sigs.k8s.io/cri-tools',
    package: 'sigs.k8s.io/cri-tools/cmd/crictl',
    version: 'v1.34.0',
    binary: 'crictl',
  },
} as const;

/** The seven programs of a Kubernetes release that a node or its user runs. */
export const PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubeadm',
  'kubectl',
  'kubelet',
] as const;

/** A release of Kubernetes such as v1.35.4, checked for its form. Which ones were tried is in docs/cluster-bench.md. */
export function kubernetesVersion(text: string): string {
  const version = text.startsWith('v') ? text : `v${text}`;
  if (/^v1\.\d{1,3}\.\d{1,3}(?:-(?:alpha|beta|rc)\.\d{1,3})?$/.test(version)) return version;
  throw usageError(`${JSON.stringify(text)} is no version of Kubernetes`, `Write one like ${DEFAULT_KUBERNETES}.`);
}

/** The version of the staging modules, such as k8s.io/api, that belong to a release. */
export function stagingVersion(version: string): string {
  return version.replace(/^v1\./, 'v0.');
}
