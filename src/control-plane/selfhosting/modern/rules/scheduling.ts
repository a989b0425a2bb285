import { pointerTo } from '../../../../core/pointer.ts';
import type { Toleration } from '../../../../cluster/objects.ts';
import { BUILT_IN_PRIORITIES, CONTROL_PLANE_ROLE, hostLabel, MASTER_ROLE } from '../facts.ts';
import { hostedValue } from '../hosted.ts';
import type { ConvertOptions } from '../options.ts';
import { listEdits, type Edit } from '../patch.ts';
import type { Rule, RuleContext } from '../rule.ts';

export const nodeName: Rule<ConvertOptions> = {
  name: 'node-name',
  reason: 'The kubelet overwrites the node of a static Pod with its own; in a template it would bind every Pod to it.',
  apply: () => [{ path: '/spec/nodeName' }],
};

export const nodeSelector: Rule<ConvertOptions> = {
  name: 'node-selector',
  reason:
    'Nodes opt in one by one, with a label of ours; the label of a control-plane node as well, because a kubelet cannot give that one to itself and so draw the control plane to a worker.',
  apply: (_, { component, options }) => [
    { path: pointerTo('/spec/nodeSelector', CONTROL_PLANE_ROLE), value: '' },
    { path: pointerTo('/spec/nodeSelector', hostLabel(component)), value: hostedValue(component, options) },
  ],
};

export const tolerations: Rule<ConvertOptions> = {
  name: 'tolerations',
  reason:
    'The taint of control-plane nodes keeps other Pods away, with whatever effect. No taint evicts a static Pod, for the kubelet lets it tolerate NoExecute: a control plane that is evicted could not bring itself back.',
  apply: (pod, { options }) => {
    const before = pod.spec.tolerations ?? [];
    const after = wanted(options).reduce(mergeToleration, before);
    if (pod.spec.tolerations === undefined || pod.spec.tolerations === null)
      return [{ path: '/spec/tolerations', value: after }];
    return listEdits('/spec/tolerations', before, after);
  },
};

function wanted({ tolerateMaster }: ConvertOptions): readonly Toleration[] {
  return [
    { key: CONTROL_PLANE_ROLE, operator: 'Exists' },
    ...(tolerateMaster ? [{ key: MASTER_ROLE, operator: 'Exists' }] : []),
    { operator: 'Exists', effect: 'NoExecute' },
  ];
}

/** The list with a toleration in it: nothing is added that is covered, and what it covers gives way to it. */
function mergeToleration(list: readonly Toleration[], added: Toleration): readonly Toleration[] {
  if (list.some((one) => covers(one, added))) return list;
  const kept = list.filter((one) => !(one.key === added.key && covers(added, one)));
  return [...kept, added];
}

/** Whether one toleration holds for every taint that another holds for, and as long. */
function covers(one: Toleration, other: Toleration): boolean {
  if (one.operator !== 'Exists' || 'tolerationSeconds' in one) return false;
  return (!one.key || one.key === other.key) && (!one.effect || one.effect === other.effect);
}

export const priority: Rule<ConvertOptions> = {
  name: 'priority',
  reason:
    'The API server computes the number from the class and refuses a Pod that brings another. To the kubelet every static Pod is critical; a Pod of a DaemonSet needs a class for that.',
  apply: ({ spec }, context) => {
    const { priorityClassName: name, priority: number } = spec;
    if (name) return BUILT_IN_PRIORITIES[name] === number ? [] : [{ path: '/spec/priority' }];
    return classEdits(number ?? undefined, context);
  },
};

function classEdits(number: number | undefined, { problems }: RuleContext<ConvertOptions>): readonly Edit[] {
  const [highest] = Object.keys(BUILT_IN_PRIORITIES);
  const name = Object.keys(BUILT_IN_PRIORITIES).find((known) => BUILT_IN_PRIORITIES[known] === number);
  if (number !== undefined && name === undefined) {
    problems.warn(
      'PRIORITY_LOST',
      '/spec/priority',
      `No class that every cluster has stands for priority ${number}; the Pods get ${highest}.`,
      'Write priorityClassName, and leave priority out.',
    );
  }
  return [
    { path: '/spec/priorityClassName', value: name ?? highest },
    ...(number !== undefined && name === undefined ? [{ path: '/spec/priority' }] : []),
  ];
}
