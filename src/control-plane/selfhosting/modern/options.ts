import type { Source } from '../../../core/problem.ts';

/** How a static Pod is converted. Everything has a default; the default takes nothing from the disk away. */
export interface ConvertOptions {
  /**
   * Name of the node that the manifest is from. The manifest of an API server is of one node: its DaemonSet is named
   * after the node and runs there alone. Without it the DaemonSet runs on every node that opts in, with a warning.
   */
  readonly nodeName?: string;
  /**
   * Address that the API reports for the node (`status.hostIP` of its Pods). Where `--advertise-address` is the same,
   * it is taken from the Pod from then on; where it differs, and without this option, it stays as it is.
   */
  readonly nodeAddress?: string;
  /** DNS policy of the Pods. Default: as in the manifest. */
  readonly dnsPolicy?: string;
  /** Tolerates the taint of control planes that go back to kubeadm 1.24 as well. Default: false. */
  readonly tolerateMaster?: boolean;
  /**
   * Where certificates, keys and kubeconfigs come from: `hostPath`, the disk of the node, as in the manifest
   * (default), or `secrets`, which puts them into etcd and needs `nodeName`.
   */
  readonly certificates?: 'hostPath' | 'secrets';
  /** Text behind the manifest, so that problems carry line and column. */
  readonly source?: Source;
}
