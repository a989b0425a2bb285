/** Where kubeadm's control plane lives. */
export const CONTROL_PLANE_NAMESPACE = 'kube-system';

/**
 * The components that can host themselves, in the order in which they are converted. etcd is none of them: the API
 * server that would have to start it keeps its state there.
 */
export const CONTROL_PLANE_COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

export type ControlPlaneComponent = (typeof CONTROL_PLANE_COMPONENTS)[number];

const APP_LABEL = 'k8s-app';

/** Name of the DaemonSet that hosts a component. */
export function selfHostedName(component: string): string {
  return `self-hosted-${component}`;
}

/** The labels of a self-hosted component: of its DaemonSet, of its Pods, and what the DaemonSet selects them by. */
export function buildSelfhostedComponentLabels(component: string): Record<string, string> {
  return { [APP_LABEL]: selfHostedName(component) };
}

/** The label selector that finds the Pods of a self-hosted component, as the API and `kubectl -l` take it. */
export function buildSelfHostedComponentLabelQuery(component: string): string {
  return `${APP_LABEL}=${selfHostedName(component)}`;
}
