import type { Cluster } from '../../cluster/api.ts';
import type { Host } from '../../cluster/host.ts';
import type { Clock } from '../../core/clock.ts';
import type { Problem } from '../../core/problem.ts';

/** Where bootlace stands: a node with a control plane, and the API of its cluster. */
export interface Station {
  readonly host: Host;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Directory of the static Pod manifests. Default: that of kubeadm, `/etc/kubernetes/manifests`. */
  readonly manifestsDir?: string;
}

export const MANIFESTS_DIR = '/etc/kubernetes/manifests';

/** A problem with what it is of: a file of the node, or an object of the cluster such as `Namespace kube-system`. */
export type PlacedProblem = Problem & { readonly place: string };
