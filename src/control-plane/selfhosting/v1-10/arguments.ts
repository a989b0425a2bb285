import { compareCodeUnits } from '../../../core/problem.ts';
import { quoted } from '../../../core/redact.ts';

const FORM = /^--([^=]+)=(.*)$/s;

/**
 * A command with one flag set to a value, taken apart into a map of flags and put together again. That costs it
 * what a map cannot hold: an element that is not `--key=value` is dropped (and `warn` told, but for the first one),
 * of a repeated flag the last stays, and flags come out sorted. Only an executable in front is kept as it is.
 */
export function withFlag(
  command: readonly string[],
  name: string,
  value: string,
  warn: (message: string) => void,
): string[] {
  const flags = new Map<string, string>();
  for (const [index, argument] of command.entries()) {
    const [, key, given] = FORM.exec(argument) ?? [];
    if (key !== undefined && given !== undefined) flags.set(key, given);
    else if (index > 0) warn(droppedWarning(argument, index));
  }
  flags.set(name, value);
  const sorted = [...flags].toSorted(([a], [b]) => compareCodeUnits(a, b)).map(([key, set]) => `--${key}=${set}`);
  const [executable] = command;
  return executable === undefined || executable.startsWith('--') ? sorted : [executable, ...sorted];
}

// What does not begin as a flag may be the value of one, so it is not shown.
function droppedWarning(argument: string, index: number): string {
  const shown = argument.startsWith('--') ? ` ${quoted(argument)}` : '';
  return `Element ${index} of the command${shown} is not of the form --key=value and is dropped.`;
}
