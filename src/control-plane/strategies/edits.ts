import type { Container, Pod } from '../../cluster/objects.ts';
import { ProblemList } from '../../core/problem.ts';
import { removeFlag, setFlag } from '../../format/flags.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { checkSideBySide } from '../selfhosting/modern/side-by-side.ts';
import type { ComponentProblem, ManifestFile } from './context.ts';
import { isSame } from '../../core/same.ts';

/** What a roll changes in a component. Nothing at all is a restart. */
export interface RollEdits {
  /** Values by the name of their flag, without dashes. */
  readonly setFlags?: Readonly<Record<string, string>>;
  /** Names of flags that go, with every value that they have. */
  readonly removeFlags?: readonly string[];
  readonly image?: string;
  /** The whole definition, in the place of the one that there is; other edits are made in it. */
  readonly pod?: Pod;
}

export interface Edited {
  /** Absent where a problem is an error. */
  readonly pod?: Pod;
  readonly problems: readonly ComponentProblem[];
}

/** Flags by which bootlace finds a component and tells what it is: a roll leaves them as they are. */
const FIXED: readonly string[] = ['secure-port', 'advertise-address', 'bind-address'];

/**
 * The new definition of a component. Refused is what a handover cannot change: where it serves, what it is, and unless
 * forced what two API servers have to agree in while both serve.
 */
export function editedPod(
  { pod: before, source }: ManifestFile,
  component: ControlPlaneComponent,
  edits: RollEdits,
  isForced = false,
): Edited {
  const problems = new ProblemList(false, source);
  const { setFlags = {}, removeFlags = [], image } = edits;
  const start = edits.pod ?? before;
  const container = start.spec.containers.find(({ name }) => name === component);
  if (container === undefined || start.metadata.name !== before.metadata.name) {
    problems.error(
      'COMPONENT_UNKNOWN',
      '',
      `The manifest is not that of ${component} as the node has it: its Pod has to keep the name ${before.metadata.name}, and its container that of the component.`,
      'Begin with the manifest that the node has.',
    );
    return { problems: of(component, problems) };
  }
  for (const name of removeFlags.filter((flag) => Object.hasOwn(setFlags, flag)))
    problems.error('FLAG_INVALID', '', `--${name} is set and removed at once.`, 'Give one of the two.');
  const field = fieldOf(container);
  const removed = removeFlags.reduce((argv, name) => removeFlag(argv, name), container[field] ?? []);
  const argv = Object.entries(setFlags).reduce((list, [name, value]) => setFlag(list, name, value), removed);
  const pod = withContainer(start, component, { [field]: argv, ...(image !== undefined && { image }) });
  checkFixed(before, pod, component, problems);
  if (component === 'kube-apiserver') {
    for (const { code, path, message, hint } of checkSideBySide(before, pod)) {
      if (isForced) problems.warn(code, path, message, hint);
      else problems.error(code, path, message, `${hint} --force makes it all the same.`);
    }
  }
  return { ...(!problems.hasErrors && { pod }), problems: of(component, problems) };
}

function checkFixed(before: Pod, after: Pod, component: ControlPlaneComponent, problems: ProblemList): void {
  const [old, own] = [before, after].map((pod) => {
    const { command = [], args = [] } = pod.spec.containers.find(({ name }) => name === component)!;
    return [...command, ...args];
  });
  for (const flag of FIXED) {
    const [was, is] = [old!, own!].map((argv) => argv.filter((element) => isFlag(element, flag)));
    if (!isSame(was, is))
      problems.error(
        'FLAG_INVALID',
        '',
        `--${flag} says where ${component} serves, and a roll keeps that.`,
        'Leave the flag as it is.',
      );
  }
}

function isFlag(element: string, name: string): boolean {
  const [flag = ''] = element.split('=', 1);
  return flag.startsWith('--') && flag.slice(2).replaceAll('_', '-') === name;
}

function of(component: ControlPlaneComponent, problems: ProblemList): readonly ComponentProblem[] {
  return problems.sorted().map((problem) => ({ ...problem, component }));
}

/** kubeadm writes flags into the command; other tools into the arguments behind it. */
function fieldOf({ command, args }: Container): 'command' | 'args' {
  return command && command.length > 1 ? 'command' : args && args.length > 0 ? 'args' : 'command';
}

function withContainer(pod: Pod, component: ControlPlaneComponent, change: Partial<Container>): Pod {
  const containers = pod.spec.containers.map((container) =>
    container.name === component ? { ...container, ...change } : container,
  );
  return { ...pod, spec: { ...pod.spec, containers } };
}
