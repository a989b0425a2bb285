import type { Plan, PlannedStep } from '../../control-plane/operations/plan.ts';
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

/** Lines that are in one of the texts alone: both have the order of their keys. */
function differences(
  { before, after }: { readonly before: string; readonly after: string },
  paint: Paint,
): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT);
  return [
    ...old.slice(from, start).map((line) => `    ${line}`),
    ...old.slice(start, old.length - end).map((line) => paint('red', `  - ${line}`)),
    ...now.slice(start, now.length - end).map((line) => paint('green', `  + ${line}`)),
    ...now.slice(now.length - end, now.length - end + CONTEXT).map((line) => `    ${line}`),
  ].map((line) => line.trimEnd());
}

/** Lines around a difference. */
const CONTEXT = 2;
