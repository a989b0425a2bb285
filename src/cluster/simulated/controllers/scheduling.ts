import type { NodeObject, PodObject } from '../../api.ts';
import type { PodSpec, Toleration } from '../../objects.ts';
import { cpuRequestOf, hostPortsOf } from '../api/defaults.ts';

/** The spec of a Pod that the API server has stored, with its defaults. */
export function specOf(pod: PodObject): PodSpec {
  return pod.spec as PodSpec;
}

/** Whether a Pod is on a node, or on its way there or from there, so that what it asks for is taken. */
export function isActive({ status }: PodObject): boolean {
  return status?.phase !== 'Failed' && status?.phase !== 'Succeeded';
}

/** Node names that a Pod is restricted to, as the DaemonSet controller writes them. */
export function pinnedNode(spec: PodSpec): string | undefined {
  const terms = (spec['affinity'] as Affinity | undefined)?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    ?.nodeSelectorTerms;
  return terms?.[0]?.matchFields?.[0]?.values[0];
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly {
        readonly matchFields?: readonly { readonly key: string; readonly values: readonly string[] }[];
      }[];
    };
  };
}

export function pinTo(nodeName: string): object {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
  };
}

export function isSelectedBy(spec: PodSpec, node: NodeObject): boolean {
  const labels = node.metadata.labels ?? {};
  return Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
}

export function toleratesTaints(
  tolerations: readonly Toleration[] | undefined,
  node: NodeObject,
  effects: readonly string[] = ['NoSchedule', 'NoExecute'],
): boolean {
  return (node.spec?.taints ?? [])
    .filter(({ effect }) => effects.includes(effect))
    .every((taint) =>
      (tolerations ?? []).some(
        ({ key, operator = 'Equal', value = '', effect }) =>
          (effect === undefined || effect === '' || effect === taint.effect) &&
          (operator === 'Exists' ? !key || key === taint.key : key === taint.key && value === (taint.value ?? '')),
      ),
    );
}

/** Why a node does not take a Pod beside those that are there already, in the words of the scheduler. */
export function misfit(
  pod: PodObject,
  node: NodeObject,
  others: readonly PodObject[],
  cpu: number,
): string | undefined {
  const spec = specOf(pod);
  const pinned = pinnedNode(spec);
  if (!isSelectedBy(spec, node) || (pinned !== undefined && pinned !== node.metadata.name))
    return "node(s) didn't match Pod's node affinity/selector";
  if (!toleratesTaints(spec.tolerations, node)) return 'node(s) had untolerated taint(s)';
  const taken = new Set(others.flatMap((other) => hostPortsOf(specOf(other))));
  if (hostPortsOf(spec).some((port) => taken.has(port)))
    return "node(s) didn't have free ports for the requested pod ports";
  const asked = others.reduce((sum, other) => sum + cpuRequestOf(specOf(other)), cpuRequestOf(spec));
  return asked > cpu ? 'Insufficient cpu' : undefined;
}
