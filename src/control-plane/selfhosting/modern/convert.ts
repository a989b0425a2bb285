import { isSame } from '../../../core/same.ts';
import { isDnsSubdomain } from '../../../core/names.ts';
import { ProblemList, type Problem, type Source } from '../../../core/problem.ts';
import { parentOf } from '../../../core/pointer.ts';
import { quoted } from '../../../core/redact.ts';
import type { DaemonSet, Pod } from '../../../cluster/objects.ts';
import { checkPod, subjectOf } from '../../subject.ts';
import { CONTROL_PLANE_NAMESPACE } from '../labels.ts';
import { RECORD_ANNOTATION } from './facts.ts';
import { hostedLabels, hostedName, isPerNode } from './hosted.ts';
import type { ConvertOptions } from './options.ts';
import { applyPatch, inverse, patchOf, valueAt, type Patch } from './patch.ts';
import { readRecord, writeRecord } from './record.ts';
import { checkConvertible } from './refusals.ts';
import { runRules, type Change, type RuleContext } from './rule.ts';
import { MODERN_RULES } from './rules.ts';
import { checkBindAddress } from './rules/address.ts';
import { coverFiles, type SecretPlan } from './secrets.ts';

export interface Conversion {
  /** Absent when a problem is an error. */
  readonly daemonSet?: DaemonSet;
  /** Every difference between the manifest and the template, with the rule behind it. */
  readonly changes: readonly Change[];
  /** Secrets that have to exist before the DaemonSet does; none unless certificates come from Secrets. */
  readonly secrets: readonly SecretPlan[];
  readonly problems: readonly Problem[];
}

/**
 * Converts a static Pod that kubeadm 1.33 to 1.37 wrote to the DaemonSet that hosts the component in its place.
 * {@link convertDaemonSet} is the way back.
 *
 * @example
 * const { daemonSet, problems } = convertStaticPod(pod, { nodeName: 'n1' });
 */
export function convertStaticPod(pod: Pod, options: ConvertOptions = {}): Conversion {
  const problems = new ProblemList(false, options.source);
  const subject = checkPod(pod, problems) && subjectOf(pod, problems);
  if (subject === undefined) return { changes: [], secrets: [], problems: problems.sorted() };
  const context: RuleContext<ConvertOptions> = { ...subject, options, problems };
  checkConvertible(pod, problems);
  checkNode(context);
  checkBindAddress(pod, context);
  const { pod: template, changes } = runRules(MODERN_RULES, pod, context);
  const frame = frameOf(pod, context);
  const all = [...changes, ...frame.changes];
  return {
    ...(!problems.hasErrors && { daemonSet: frame.around(template, writeRecord(changes)) }),
    changes: all,
    secrets:
      options.certificates === 'secrets' ? coverFiles(pod, { ...context, problems: new ProblemList() }).secrets : [],
    problems: problems.sorted(),
  };
}

function checkNode({ component, options, problems }: RuleContext<ConvertOptions>): void {
  const { nodeName } = options;
  if (nodeName !== undefined && !isDnsSubdomain(nodeName))
    problems.error(
      'NAME_INVALID',
      '',
      `${quoted(nodeName)} is no name of a node.`,
      'Write it as `kubectl get nodes` does.',
    );
  if (nodeName === undefined && isPerNode(component, options) && options.certificates !== 'secrets') {
    problems.warn(
      'NODE_UNNAMED',
      '',
      'The address and the serving certificate of this manifest are of one node, and the DaemonSet would run on every node that opts in.',
      'Name the node that the manifest is from, or let that one node alone opt in.',
    );
  }
}

/** What a DaemonSet has around its template, and the changes that this is. */
function frameOf(pod: Pod, { component, options }: RuleContext<ConvertOptions>) {
  const name = hostedName(component, options);
  const namespace = pod.metadata.namespace ?? CONTROL_PLANE_NAMESPACE;
  const labels = hostedLabels(component, options);
  const updateStrategy = { type: 'OnDelete' } as const;
  const added = (rule: string, reason: string, path: string, after: unknown): Change => ({
    rule,
    reason,
    object: 'DaemonSet',
    op: 'add',
    path,
    after,
  });
  return {
    changes: [
      added('daemonset', 'Named after what it hosts, and after the node where it is of one.', '/metadata/name', name),
      added('daemonset', 'It finds its Pods by the labels that select no others.', '/spec/selector', {
        matchLabels: labels,
      }),
      added(
        'update-strategy',
        'The default deletes the old Pod first: with it goes the API through which the new one would come. With OnDelete a new template waits until somebody takes the old Pod away.',
        '/spec/updateStrategy',
        updateStrategy,
      ),
    ],
    around: ({ metadata, spec }: Pod, record: string): DaemonSet => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace, labels, annotations: { [RECORD_ANNOTATION]: record } },
      spec: { selector: { matchLabels: labels }, template: { metadata, spec }, updateStrategy },
    }),
  };
}

/**
 * The static Pod that a DaemonSet was made from: its template with every recorded change taken back. What was
 * changed in the DaemonSet since stays, with a warning where a recorded change is no longer there to take back.
 */
export function convertDaemonSet(
  daemonSet: DaemonSet,
  { source }: { readonly source?: Source } = {},
): { readonly pod?: Pod; readonly problems: readonly Problem[] } {
  const problems = new ProblemList(false, source);
  const record = readRecord(daemonSet, problems);
  if (record === undefined) return { problems: problems.sorted() };
  const { metadata, spec } = daemonSet.spec.template;
  const pod = record
    .toReversed()
    .reduce<unknown>((current, patch) => takeBack(current, patch, problems), { metadata, spec });
  const checked = checkPod(pod, problems);
  return { ...(checked && !problems.hasErrors && { pod: checked }), problems: problems.sorted() };
}

function takeBack(current: unknown, patch: Patch, problems: ProblemList): unknown {
  const undo = inverse(patch);
  const isInList = Array.isArray(valueAt(current, parentOf(undo.path)));
  // An older API server writes null for a time that it has not set.
  const before = isInList && undo.op === 'add' ? undefined : (valueAt(current, undo.path) ?? undefined);
  if (isSame(before, undo.op === 'add' ? undefined : (undo.before ?? undefined))) {
    // As an edit, since a parent may be gone by now.
    const edit = undo.op === 'remove' ? { path: undo.path } : { path: undo.path, value: undo.after };
    const again = patchOf(current, isInList && undo.op === 'add' ? { ...edit, insert: true } : edit);
    return again === undefined ? current : applyPatch(current, again);
  }
  problems.warn(
    'CONVERSION_RECORD_DIFFERS',
    `/spec/template${patch.path}`,
    'The value was changed since the conversion and stays as it is now.',
    'Compare the manifest with its backup.',
  );
  return current;
}
