import type { AnyObject, Cluster } from '../../cluster/api.ts';
import type { Endpoint, Host } from '../../cluster/host.ts';
import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import type { Clock } from '../../core/clock.ts';
import type { Problem, Source } from '../../core/problem.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { ConfigEdit } from './kubeadm-config.ts';
import type { Step } from './steps.ts';

/** What a strategy works with: one node, the API, time, and what was read of the node before. */
export interface StrategyContext {
  readonly host: Host;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Directory of the static Pod manifests. */
  readonly manifestsDir: string;
  /** The manifests of the node as they were before the run. */
  readonly manifests: Readonly<Record<ControlPlaneComponent, ManifestFile>>;
  /** What a roll gives the components, each as a static Pod. Default: what they are, which is a restart. */
  readonly definitions?: Readonly<Partial<Record<ControlPlaneComponent, Pod>>>;
  /** Whether etcd is saved before anything changes. Default: false. */
  readonly hasSnapshot?: boolean;
  /** The edit of a roll where kubeadm keeps its own configuration. Default: none. */
  readonly kubeadmConfig?: ConfigEdit;
  /** What is to change, in this order. */
  readonly components: readonly ControlPlaneComponent[];
  /** Where the node's API server serves. */
  readonly server: Endpoint;
  /** Service default/kubernetes. */
  readonly service: Endpoint;
  readonly relayPort: number;
  /** Ports on which something of the node listens. */
  readonly takenPorts: readonly number[];
  /** Whether the firewall of the node lets in what a redirect sends to the relay. */
  readonly admitsRelay: 'yes' | 'no' | 'unknown';
  /** Hears of what a step does, one line at a time and never a secret. */
  readonly log: (message: string) => void;
}

export interface ManifestFile {
  readonly path: string;
  readonly text: string;
  readonly pod: Pod;
  /** Where things stand in the text, for problems. */
  readonly source: Source;
  /** What hosts the component on this node, in which case the manifest is the one that a way back would write. */
  readonly hosted?: DaemonSet;
  /** Whether nobody served it when the run began, so that no way back can wait for that. Default: false. */
  readonly isDown?: boolean;
  /** What of a hosted component is kept for the way back of its pivot, as it was before the run. */
  readonly kept?: string;
}

/** A way from a control plane of static Pods to one that the cluster hosts, or to another definition of it. */
export interface Strategy {
  readonly summary: string;
  /** Whether it is run on each node with a control plane in turn, or on one. */
  readonly isPerNode: boolean;
  /** What is changed where nobody says what. Default: all three. */
  readonly components?: readonly ControlPlaneComponent[];
  /** What it would do on a node; no steps where a problem is an error. It changes nothing. */
  plan(context: StrategyContext): StrategyPlan;
}

export interface StrategyPlan {
  readonly steps: readonly Step[];
  readonly problems: readonly ComponentProblem[];
  /** What it will store, and static Pods that the API will show, so that a dry run can ask for them before. */
  readonly objects?: readonly (DaemonSet | Pod | AnyObject)[];
}

/** A problem of one manifest. */
export type ComponentProblem = Problem & { readonly component: ControlPlaneComponent };
