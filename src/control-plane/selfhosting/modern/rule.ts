import type { ProblemList } from '../../../core/problem.ts';
import type { Container, Pod } from '../../../cluster/objects.ts';
import type { Subject } from '../../subject.ts';
import { flagIndex } from '../../../format/flags.ts';
import { applyPatch, listEdits, patchOf, valueAt, type Edit, type Patch } from './patch.ts';

export interface RuleContext<Options> extends Subject {
  readonly options: Options;
  readonly problems: ProblemList;
}

/**
 * One reason to change a manifest. A rule only says what it wants; that it is done, and written down, is the
 * business of {@link runRules}: no rule can change something and keep silent about it.
 */
export interface Rule<Options> {
  readonly name: string;
  readonly reason: string;
  /** Edits on the Pod as the rules before left it. What makes the rule impossible goes to the problems. */
  readonly apply: (pod: Pod, context: RuleContext<Options>) => readonly Edit[];
}

/** One change with the rule behind it. `path` is a JSON pointer into the object, as the changes before left it. */
export type Change = Patch & {
  readonly rule: string;
  readonly reason: string;
  readonly object: 'Pod' | 'DaemonSet';
};

/** Applies rules one after the other. The given Pod stays as it is. */
export function runRules<Options>(
  rules: readonly Rule<Options>[],
  pod: Pod,
  context: RuleContext<Options>,
): { readonly pod: Pod; readonly changes: readonly Change[] } {
  let current = pod;
  const changes: Change[] = [];
  for (const { name, reason, apply } of rules) {
    for (const edit of apply(current, context)) {
      const patch = patchOf(current, edit);
      if (patch === undefined) continue;
      current = applyPatch(current, patch);
      changes.push({ rule: name, reason, object: 'Pod', ...patch });
    }
  }
  return { pod: current, changes };
}

export function containerOf(pod: Pod, { index }: Subject): Container {
  return pod.spec.containers[index]!;
}

export function containerPath({ index }: Subject): string {
  return `/spec/containers/${index}`;
}

/** Every container of a Pod with its path: those that run, and those that prepare. */
export function allContainers(pod: Pod): readonly { readonly container: Container; readonly path: string }[] {
  return (['containers', 'initContainers'] as const).flatMap((field) =>
    (pod.spec[field] ?? []).map((container, index) => ({ container, path: `/spec/${field}/${index}` })),
  );
}

/** The command line of a container. */
export function argvOf(container: Container): readonly string[] {
  return [...(container.command ?? []), ...(container.args ?? [])];
}

/** Path of an element of {@link argvOf}. */
export function argvPath(path: string, container: Container, index: number): string {
  const inCommand = container.command?.length ?? 0;
  return index < inCommand ? `${path}/command/${index}` : `${path}/args/${index - inCommand}`;
}

/** Path of the value of a flag that the component has. */
export function flagPath(pod: Pod, flag: string, subject: Subject): string {
  const container = containerOf(pod, subject);
  return argvPath(containerPath(subject), container, flagIndex(argvOf(container), flag)!);
}

/**
 * The edits with which the command line of a container becomes what `change` makes of it. What is new goes to the
 * end of `args` where there are any, and else to the end of `command`.
 */
export function argvEdits(
  pod: Pod,
  path: string,
  change: (argv: readonly string[]) => readonly string[],
): readonly Edit[] {
  const container = valueAt(pod, path) as Container;
  const argv = argvOf(container);
  if (argv.length === 0) return [{ path: `${path}/args`, value: change(argv) }];
  const hasArgs = (container.args ?? []).length > 0;
  let inCommand = container.command?.length ?? 0;
  return listEdits('', argv, change(argv)).map((edit) => {
    const index = Number(edit.path.slice(1));
    const isCommand = index < inCommand || (index === inCommand && edit.insert === true && !hasArgs);
    const target = isCommand ? `${path}/command/${index}` : `${path}/args/${index - inCommand}`;
    if (isCommand && edit.insert) inCommand += 1;
    if (isCommand && edit.value === undefined) inCommand -= 1;
    return { ...edit, path: target };
  });
}
