import type { PlacedProblem } from '../../control-plane/operations/station.ts';
import { escapeControls } from '../../core/redact.ts';
import type { Io } from '../io.ts';
import { painter } from '../output.ts';

/** Writes problems of a node and its cluster to standard error: what it is of, then what is wrong and what to do. */
export function showProblems(problems: readonly PlacedProblem[], io: Io): void {
  const paint = painter(io.stderr, io.env);
  for (const { place, severity, code, path, message, hint, line, column } of problems) {
    const where = line === undefined ? place : `${place}:${line}:${column}`;
    const head = [
      escapeControls(where),
      paint(severity === 'error' ? 'red' : 'yellow', severity),
      ...(path === '' ? [] : [paint('bold', escapeControls(path))]),
      paint('dim', code),
    ];
    io.stderr.write(`${head.join('  ')}\n    ${escapeControls(message)}\n    ${paint('cyan', escapeControls(hint))}\n`);
  }
}
