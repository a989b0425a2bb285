import { escapeControls, redact } from '../core/redact.ts';
import type { Change } from '../control-plane/index.ts';
import type { painter } from './output.ts';

const SHOWN_LENGTH = 100;

/** Changes as people read them: each rule with its reason, then what it did to which field. */
export function printChanges(changes: readonly Change[], paint: ReturnType<typeof painter>): string {
  const rules = [...new Set(changes.map(({ rule }) => rule))];
  return rules
    .map((rule) =>
      printRule(
        changes.filter((change) => change.rule === rule),
        paint,
      ),
    )
    .join('\n');
}

function printRule(changes: readonly Change[], paint: ReturnType<typeof painter>): string {
  const [{ rule, reason } = { rule: '', reason: '' }] = changes;
  const lines = changes.map((change) => `    ${place(change)}  ${paint('dim', difference(change))}`);
  return `${paint('bold', rule)}  ${reason}\n${lines.join('\n')}\n`;
}

function place({ object, path }: Change): string {
  return escapeControls(object === 'Pod' ? path : `${object} ${path}`);
}

function difference(change: Change): string {
  switch (change.op) {
    case 'add':
      return `added ${printed(change.after)}`;
    case 'remove':
      return `removed ${printed(change.before)}`;
    case 'replace':
      return `${printed(change.before)} -> ${printed(change.after)}`;
    default:
      return change satisfies never;
  }
}

/** Fields of a container that may hold a password: they are shown by their size, wherever they stand. */
const UNSHOWN: readonly string[] = ['args', 'command', 'env'];

// Redacted before it is cut, as half a secret looks like none.
function printed(value: unknown): string {
  const hidden = (key: string, part: unknown) =>
    UNSHOWN.includes(key) && Array.isArray(part) ? `a list of ${part.length}` : part;
  const text = redact(JSON.stringify(value, hidden));
  return escapeControls(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);
}
