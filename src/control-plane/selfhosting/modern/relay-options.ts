import type { Source } from '../../../core/problem.ts';

/** A range of ports, both ends included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export interface RelayOptions {
  /** Port on which the relay serves. */
  readonly port: number;
  /** Name of the relay's Pod. Default: `kube-apiserver-relay`. */
  readonly name?: string;
  /**
   * Ports that the node gives to outgoing connections (/proc/sys/net/ipv4/ip_local_port_range). Default: the range
   * that Linux has, 32768 to 60999.
   */
  readonly ephemeralPorts?: PortRange;
  /** Ports that something on the node listens on already. Default: none beyond those of the control plane. */
  readonly takenPorts?: readonly number[];
  /**
   * The content of the file that `--encryption-provider-config` names, parsed. Needed where the Pod has other
   * containers: one of them may be the KMS plugin that the API server asks.
   */
  readonly encryptionConfiguration?: unknown;
  /** Text behind the manifest, so that problems carry line and column. */
  readonly source?: Source;
}

export const RELAY_NAME = 'kube-apiserver-relay';

/** Port of a relay where nobody asks for another: beside that of kubeadm's API server, and free on its nodes. */
export const DEFAULT_RELAY_PORT = 6444;

/** Default of net.ipv4.ip_local_port_range in Linux. */
export const LINUX_EPHEMERAL_PORTS: PortRange = { from: 32_768, to: 60_999 };

/** Default of the API server's --service-node-port-range. */
export const DEFAULT_NODE_PORTS: PortRange = { from: 30_000, to: 32_767 };

/** Ports on which something else listens on a control-plane node that kubeadm made. */
export const CONTROL_PLANE_PORTS: Readonly<Record<number, string>> = {
  2379: 'etcd, for clients',
  2380: 'etcd, for its peers',
  2381: 'etcd, for metrics',
  10248: 'the kubelet, for its own health',
  10249: 'kube-proxy, for metrics',
  10250: 'the kubelet',
  10255: 'the kubelet, read-only',
  10256: 'kube-proxy, for its health',
  10257: 'kube-controller-manager',
  10259: 'kube-scheduler',
};

/** The range as `--service-node-port-range` writes it: `from-to`, `from+more` or one port. */
export function parsePortRange(text: string): PortRange | undefined {
  const [, from, sign, rest] = /^\s*(\d{1,5})(?:([-+])(\d{1,5}))?\s*$/.exec(text) ?? [];
  if (from === undefined) return undefined;
  if (rest === undefined) return { from: Number(from), to: Number(from) };
  return { from: Number(from), to: sign === '+' ? Number(from) + Number(rest) : Number(rest) };
}
