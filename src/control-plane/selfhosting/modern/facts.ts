import { createHash } from 'node:crypto';
import type { ControlPlaneComponent } from '../labels.ts';

/**
 * Names and numbers of the outside world that the modern profile goes by. They hold for Kubernetes 1.33 to 1.37,
 * read in its source and in what kubeadm of these versions wrote; nothing here differs between them.
 */

/** What kubeadm calls a control-plane node: key of the label and of the taint. A kubelet cannot give it to itself. */
export const CONTROL_PLANE_ROLE = 'node-role.kubernetes.io/control-plane';

/** The key that went before {@link CONTROL_PLANE_ROLE}: its taint was last set by kubeadm 1.24. */
export const MASTER_ROLE = 'node-role.kubernetes.io/master';

/** kubeadm finds the API server of a node by these two labels, and refuses to go on with more than one per node. */
export const KUBEADM_LABELS: readonly string[] = ['component', 'tier'];

/** kubeadm reads the endpoint of a node's API server from this annotation of its Pod. */
export const ENDPOINT_ANNOTATION = 'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint';

/** The kubelet sets it on the Pods that only show a static Pod in the API. */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** The classes that every cluster has, by the priority that they stand for. */
export const BUILT_IN_PRIORITIES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

/** Port on which a component serves when no flag says otherwise. */
export const DEFAULT_SECURE_PORT: Readonly<Record<ControlPlaneComponent, number>> = {
  'kube-apiserver': 6443,
  'kube-controller-manager': 10257,
  'kube-scheduler': 10259,
};

/** Seconds that the kubelet gives a Pod to end when the Pod does not say. */
export const DEFAULT_GRACE_PERIOD = 30;

/** Every name that bootlace gives to labels, annotations and node labels of a control plane begins with this. */
const DOMAIN = 'control-plane.bootlace.io';

/**
 * Label by which a node opts in to host a component. Its value is {@link hostedValue}. The DaemonSet asks for
 * {@link CONTROL_PLANE_ROLE} as well: a kubelet may label its own node with a key of ours, and a worker that did
 * would draw the control plane to itself.
 */
export function hostLabel(component: ControlPlaneComponent): string {
  return `${DOMAIN}/${component}`;
}

/** Annotation of the DaemonSet that holds what the conversion changed: what the way back undoes. */
export const RECORD_ANNOTATION = `${DOMAIN}/static-pod`;

/** Label of the relay, by which bootlace and nobody else finds it. */
export const RELAY_LABEL = `${DOMAIN}/relay`;

/** Label of what the cluster holds of a run that has not come to its end. Its value is that of the node. */
export const RUN_LABEL = `${DOMAIN}/run`;

/** Value of the host label where one DaemonSet serves every node that opts in. */
export const ANY_NODE = 'self-hosted';

const LABEL_VALUE_LIMIT = 63;

/**
 * The name of a node as a label value and as the end of an object's name: the name itself, or where it is longer
 * than a label value may be, its beginning with a hash of the whole.
 */
export function nodeKey(nodeName: string): string {
  if (nodeName.length <= LABEL_VALUE_LIMIT) return nodeName;
  const hash = createHash('sha256').update(nodeName).digest('hex').slice(0, 10);
  return `${nodeName.slice(0, LABEL_VALUE_LIMIT - hash.length - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}
