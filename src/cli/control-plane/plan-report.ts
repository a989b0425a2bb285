import type { Plan, PlannedStep } from '../../control-plane/operations/plan.ts';
import { diffLines } from '../../format/line-diff.ts';
import { escapeControls } from '../../core/redact.ts';
import { countProblems, type painter } from '../output.ts';

type Paint = ReturnType<typeof painter>;

/** A plan as people read it before they say yes. Its problems are told apart from it. */
export function printPlan(plan: Plan, paint: Paint): string {
  const { change, node, verdict, steps, seconds, breaks, problems, kubeadmConfig } = plan;
  const colour = verdict === 'ready' ? 'green' : 'red';
  const width = String(steps.length).length;
  return [
    `${paint('bold', `${change.verb} of ${escapeControls(node)}`)}: ${paint(colour, verdict)}, ${countProblems(problems)}`,
    '',
    ...steps.flatMap((step, index) => printStep(step, String(index + 1).padStart(width), paint)),
    ...(steps.length > 0
      ? ['', `${steps.length} steps in about ${minutes(seconds)}. Each is taken back where it or a later one fails.`]
      : []),
    ...(breaks.length > 0 && steps.length > 0 ? ['', 'What breaks anyway:', ...breaks.map((one) => `  ${one}`)] : []),
    ...(kubeadmConfig
      ? ['', 'The same edit in ConfigMap kube-system/kubeadm-config:', ...differences(kubeadmConfig, paint)]
      : []),
    '',
  ].join('\n');
}

function printStep({ name, title, ...about }: PlannedStep, number: string, paint: Paint): readonly string[] {
  const margin = ' '.repeat(number.length + 2);
  const row = (label: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : [`${margin}  ${paint('dim', label.padEnd(7))} ${escapeControls(text)}`];
  const time = about.seconds === undefined ? '' : paint('dim', `  ~${about.seconds} s`);
  return [
    `${number}  ${paint('bold', escapeControls(name))}${time}`,
    `${margin}  ${escapeControls(title)}`,
    ...row('checks', about.checks),
    ...row('proves', about.proves),
    ...row('gap', about.gap),
    ...row('back', about.back),
  ];
}

function minutes(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Lines that are in one of the texts alone, with some around them. */
function differences(
  { before, after }: { readonly before: string; readonly after: string },
  paint: Paint,
): readonly string[] {
  const lines = diffLines(before, after);
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ op }) => op !== ' ');
  return lines.flatMap(({ op, line }, at) => {
    if (!isNear(at)) return isNear(at - 1) && at > 0 ? ['  …'] : [];
    const text = `  ${op} ${escapeControls(line)}`.trimEnd();
    return [op === ' ' ? text : paint(op === '-' ? 'red' : 'green', text)];
  });
}

/** Lines around a difference. */
const CONTEXT = 2;
