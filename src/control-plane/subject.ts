import { isMapping } from '../core/mapping.ts';
import { pointerTo } from '../core/pointer.ts';
import type { ProblemList } from '../core/problem.ts';
import { quoted, shown } from '../core/redact.ts';
import type { Pod } from '../cluster/objects.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from './selfhosting/labels.ts';
import { checkShape } from './shape.ts';

/** What a static Pod runs, and in which of its containers. */
export interface Subject {
  readonly component: ControlPlaneComponent;
  /** Place of the component's container in `spec.containers`. */
  readonly index: number;
}

export const MANIFEST_HINT = 'Give the manifest of a static Pod, as kubeadm writes them to /etc/kubernetes/manifests.';

/** The value as a Pod, once everything that is looked at later has the type that Kubernetes gives it. */
export function checkPod(value: unknown, problems: ProblemList): Pod | undefined {
  if (!isMapping(value)) {
    problems.error('MANIFEST_KIND', '', `The document is ${shown(value)} and no Pod.`, MANIFEST_HINT);
    return undefined;
  }
  const { apiVersion, kind } = value;
  if (kind !== 'Pod' || apiVersion !== 'v1') {
    const isPod = kind === 'Pod';
    problems.error(
      'MANIFEST_KIND',
      isPod ? '/apiVersion' : '/kind',
      isPod ? `A Pod has apiVersion v1; got ${shown(apiVersion)}.` : `The kind is ${shown(kind)}, and no Pod.`,
      MANIFEST_HINT,
    );
    return undefined;
  }
  checkShape(value, problems);
  return problems.hasErrors ? undefined : (value as unknown as Pod);
}

/**
 * Which component a Pod runs, and in which container: kubeadm calls the container by the name of the component.
 * Its command line has to be the component with its flags, since these are read and edited.
 */
export function subjectOf(pod: Pod, problems: ProblemList): Subject | undefined {
  const found = pod.spec.containers.flatMap(({ name }, index) => {
    const component = CONTROL_PLANE_COMPONENTS.find((known) => known === name);
    return component === undefined ? [] : [{ component, index }];
  });
  const [subject, second] = found;
  if (subject === undefined) {
    const name = pod.metadata?.name ?? pod.spec.containers[0]?.name;
    problems.error(
      'COMPONENT_UNKNOWN',
      '/spec/containers/0/name',
      `${shown(name)} has no container of ${CONTROL_PLANE_COMPONENTS.join(', ')}.`,
      'Only these three can be hosted by the cluster; etcd stays a static Pod.',
    );
    return undefined;
  }
  if (second !== undefined) {
    problems.error(
      'COMPONENT_UNKNOWN',
      `/spec/containers/${second.index}/name`,
      `The Pod runs ${subject.component} and ${second.component}.`,
      'Give each component a manifest of its own.',
    );
    return undefined;
  }
  checkLabel(pod, subject.component, problems);
  checkCommand(pod, subject, problems);
  return subject;
}

function checkLabel(pod: Pod, component: ControlPlaneComponent, problems: ProblemList): void {
  const label = pod.metadata?.labels?.['component'];
  if (label === undefined || label === component) return;
  problems.error(
    'COMPONENT_UNKNOWN',
    '/metadata/labels/component',
    `The label says ${quoted(label)}, and the container is ${component}.`,
    'Correct whichever is wrong.',
  );
}

function checkCommand(pod: Pod, { component, index }: Subject, problems: ProblemList): void {
  const { command, args } = pod.spec.containers[index]!;
  const list = command && command.length > 0 ? 'command' : 'args';
  const first = (list === 'command' ? command : args)?.[0];
  // Without a command the image brings the executable, and the arguments begin with a flag.
  if (first === undefined || (list === 'args' && first.startsWith('--'))) return;
  if (first.slice(first.lastIndexOf('/') + 1) === component && list === 'command') return;
  problems.error(
    'COMMAND_UNREADABLE',
    pointerTo(`/spec/containers/${index}/${list}`, 0),
    `The container runs ${quoted(first)}, and flags behind it cannot be told from other text.`,
    `Let the command be ${component} with its flags, one element each.`,
  );
}
