import { buildSelfhostedComponentLabels, selfHostedName, type ControlPlaneComponent } from '../labels.ts';
import { ANY_NODE, hostLabel, nodeKey } from './facts.ts';
import type { ConvertOptions } from './options.ts';

/**
 * Whether a DaemonSet of the component is of one node. That of an API server is: its advertise address, its serving
 * certificate and the annotation that kubeadm reads are. Secrets are, since kubeadm writes other certificates and
 * kubeconfigs on each node.
 */
export function isPerNode(component: ControlPlaneComponent, options: ConvertOptions): boolean {
  return component === 'kube-apiserver' || options.certificates === 'secrets';
}

/** Value of the host label, on the node and on the Pods: the key of the one node, or that of every node. */
export function hostedValue(component: ControlPlaneComponent, options: ConvertOptions): string {
  const { nodeName } = options;
  return isPerNode(component, options) && nodeName !== undefined ? nodeKey(nodeName) : ANY_NODE;
}

/** Name of the DaemonSet: that of the component, and of the node where it is of one. */
export function hostedName(component: ControlPlaneComponent, options: ConvertOptions): string {
  const value = hostedValue(component, options);
  return value === ANY_NODE ? selfHostedName(component) : `${selfHostedName(component)}-${value}`;
}

/** The labels by which the DaemonSet finds its Pods: one of every self-hosted Pod of the component, one of its nodes. */
export function hostedLabels(component: ControlPlaneComponent, options: ConvertOptions): Record<string, string> {
  return { ...buildSelfhostedComponentLabels(component), [hostLabel(component)]: hostedValue(component, options) };
}
