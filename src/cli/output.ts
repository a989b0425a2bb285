import { styleText } from 'node:util';
import type { Problem } from '../core/problem.ts';
import { escapeControls } from '../core/redact.ts';
import type { Io, Output } from './io.ts';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/** Paints text on a terminal, and leaves it alone elsewhere or with NO_COLOR set. */
export function painter(output: Output, env: Io['env']): (style: Style, text: string) => string {
  const isColoured = env['NO_COLOR']
    ? false
    : env['FORCE_COLOR']
      ? env['FORCE_COLOR'] !== '0'
      : output.isTTY === true && env['TERM'] !== 'dumb';
  return (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text);
}

/** Problems as people read them: place, severity, path and code, then what is wrong and what to write. */
export function printProblems(problems: readonly Problem[], file: string, paint: ReturnType<typeof painter>): string {
  return problems.map((problem) => printProblem(problem, file, paint)).join('\n');
}

function printProblem(problem: Problem, file: string, paint: ReturnType<typeof painter>): string {
  const { severity, code, path, message, hint, line, column } = problem;
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  const colour = severity === 'error' ? 'red' : 'yellow';
  const head = [
    place,
    paint(colour, severity),
    paint('bold', escapeControls(path || '(whole document)')),
    paint('dim', code),
  ];
  return `${head.join('  ')}\n    ${escapeControls(message)}\n    ${paint('cyan', escapeControls(hint))}\n`;
}

/** `2 errors, 1 warning`, or `no problems`. */
export function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const warnings = problems.length - errors;
  const parts = [plural(errors, 'error'), plural(warnings, 'warning')].filter(Boolean);
  return parts.join(', ') || 'no problems';
}

function plural(count: number, noun: string): string {
  if (count === 0) return '';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number with commas between thousands, in every locale. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
