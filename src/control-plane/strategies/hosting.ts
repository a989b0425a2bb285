import { isClusterError, type DaemonSetObject, type NodeObject } from '../../cluster/api.ts';
import type { DaemonSet, PodSpec } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { hostLabel } from '../selfhosting/modern/facts.ts';
import type { StrategyContext } from './context.ts';

/** Who owns, in the API, what a run sets. */
const MANAGER = 'bootlace';

/** Stores the DaemonSet of a component, and lets this node opt in. Other nodes stay as they are. */
export async function hostOnNode(
  context: StrategyContext,
  component: ControlPlaneComponent,
  daemonSet: DaemonSet,
): Promise<void> {
  const { cluster, host } = context;
  const value = daemonSet.spec.template.spec.nodeSelector?.[hostLabel(component)] ?? '';
  // Before the node opts in, so that its Pod is made of this template and not of one that was there before.
  await cluster.apply<DaemonSetObject>(daemonSet as DaemonSetObject, { fieldManager: MANAGER, force: true });
  await cluster.apply<NodeObject>(
    nodeLabels(host.nodeName, { [hostLabel(component)]: value }),
    labelOptions(component),
  );
}

/** Takes this node out of a DaemonSet, and the DaemonSet away with its last node. */
export async function unhostFromNode(
  { cluster, host }: StrategyContext,
  component: ControlPlaneComponent,
  { metadata, spec }: DaemonSet,
): Promise<void> {
  await cluster.apply<NodeObject>(nodeLabels(host.nodeName, {}), labelOptions(component));
  const { items: nodes } = await cluster.list({ kind: 'Node', labelSelector: selectorOf(spec.template.spec) });
  if (nodes.length > 0) return;
  try {
    await cluster.delete({ kind: 'DaemonSet', namespace: metadata.namespace!, name: metadata.name! });
  } catch (error) {
    // The run may have failed before it was stored.
    if (!isClusterError(error, 'NOT_FOUND')) throw error;
  }
}

export function nodeLabels(name: string, labels: Readonly<Record<string, string>>): NodeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
}

/** Each component has an owner of its own, since what an owner does not give any more is taken away. */
export function labelOptions(component: ControlPlaneComponent) {
  return { fieldManager: `${MANAGER}-${component}`, force: true };
}

function selectorOf({ nodeSelector = {} }: PodSpec): string {
  return Object.entries(nodeSelector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
