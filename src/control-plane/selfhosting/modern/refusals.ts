import type { ProblemList } from '../../../core/problem.ts';
import { shown } from '../../../core/redact.ts';
import type { Pod } from '../../../cluster/objects.ts';
import { MIRROR_ANNOTATION } from './facts.ts';
import { valueAt } from './patch.ts';
import { pointerTo } from '../../../core/pointer.ts';

interface Refusal {
  readonly path: string;
  readonly refuses: (value: unknown) => boolean;
  readonly reason: string;
  readonly hint: string;
}

const isThere = (value: unknown) => value !== undefined && value !== null;

/** What a static Pod may have, and a Pod of a DaemonSet may not, or would not have in the same sense. */
const REFUSALS: readonly Refusal[] = [
  {
    path: pointerTo('/metadata/annotations', MIRROR_ANNOTATION),
    refuses: isThere,
    reason: 'This is a mirror Pod: what the API shows of a static Pod, with the values that the node filled in.',
    hint: 'Give the file from /etc/kubernetes/manifests.',
  },
  {
    path: '/spec/hostNetwork',
    refuses: (value) => value !== true,
    reason: 'Without the network of the host nothing finds the component at the address of the node.',
    hint: 'Set hostNetwork to true, as kubeadm does.',
  },
  {
    path: '/spec/restartPolicy',
    refuses: (value) => isThere(value) && value !== 'Always',
    reason: 'The Pods of a DaemonSet always restart.',
    hint: 'Remove the field, or write Always.',
  },
  {
    path: '/spec/activeDeadlineSeconds',
    refuses: isThere,
    reason: 'The Pods of a DaemonSet have no deadline.',
    hint: 'Remove the field.',
  },
  {
    path: '/spec/ephemeralContainers',
    refuses: isThere,
    reason: 'A template has no ephemeral containers: they are added to a Pod that runs.',
    hint: 'Remove the field.',
  },
  {
    path: '/spec/schedulingGates',
    refuses: isThere,
    reason: 'A gated Pod waits for somebody to open the gate, and a control plane cannot.',
    hint: 'Remove the field.',
  },
];

const POD_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** Reports what makes a conversion impossible before any rule is asked. */
export function checkConvertible(pod: Pod, problems: ProblemList): void {
  for (const { path, refuses, reason, hint } of REFUSALS) {
    const value = valueAt(pod, path);
    if (refuses(value)) problems.error('MANIFEST_UNSUPPORTED', path, `${reason} Got ${shown(value)}.`, hint);
  }
  for (const field of Object.keys(pod).filter((key) => !POD_FIELDS.includes(key)))
    problems.error('FIELD_UNKNOWN', pointerTo('', field), 'A Pod has no such field.', 'Remove it.');
}
