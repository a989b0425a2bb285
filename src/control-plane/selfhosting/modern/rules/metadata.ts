import { pointerTo } from '../../../../core/pointer.ts';
import { hostedLabels } from '../hosted.ts';
import type { ConvertOptions } from '../options.ts';
import type { Rule } from '../rule.ts';

/** Fields of a Pod's metadata that a template can have. */
const TEMPLATE_METADATA: readonly string[] = ['annotations', 'labels'];

/** Fields of a Pod that are not part of a template. */
const POD_ALONE: readonly string[] = ['apiVersion', 'kind', 'status'];

export const templateMetadata: Rule<ConvertOptions> = {
  name: 'template-metadata',
  reason:
    'A template holds labels, annotations and a spec: the DaemonSet names its Pods, and they live in its namespace.',
  apply: (pod) => [
    ...Object.keys(pod.metadata)
      .filter((key) => !TEMPLATE_METADATA.includes(key))
      .map((key) => ({ path: pointerTo('/metadata', key) })),
    ...POD_ALONE.map((key) => ({ path: pointerTo('', key) })),
  ],
};

export const selectorLabels: Rule<ConvertOptions> = {
  name: 'selector-labels',
  reason:
    'A DaemonSet finds its Pods by labels, and no two may find the same: one is that of every self-hosted Pod of the component, the other tells the nodes. The labels component and tier stay, by which kubeadm finds the Pod.',
  apply: (_, { component, options }) =>
    Object.entries(hostedLabels(component, options)).map(([key, value]) => ({
      path: pointerTo('/metadata/labels', key),
      value,
    })),
};
