import { quoted, shown } from '../../core/redact.ts';
import type { FieldFact } from './schema.ts';

/** What stands in the source, short enough for a message and without quotes of its own. */
export function shortSource(source: string): string {
  return quoted(source).slice(1, -1);
}

/** What is right but for the quotes around it. */
const UNQUOTED: ReadonlyMap<string, RegExp> = new Map([
  ['a whole number', /^[+-]?\d+$/],
  ['true or false', /^(?:true|false)$/],
]);

/** How to write a value of the type that was expected, as close to what was given as can be. */
export function typeHint(
  expected: string,
  value: unknown,
  fact: Pick<FieldFact, 'secret' | 'example'>,
  source: string | undefined,
): string {
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
  if (expected === 'a string' && isScalar) {
    if (fact.secret) return 'Put the value in quotes.';
    if (source !== undefined) {
      const form = typeof fact.example === 'string' ? ` It has the form ${shown(fact.example)}.` : '';
      return `Put it in quotes: "${shortSource(source)}".${form}`;
    }
    return `Put it in quotes${typeof fact.example === 'string' ? `, as in ${shown(fact.example)}` : ''}.`;
  }
  if (typeof value === 'string' && !fact.secret && UNQUOTED.get(expected)?.test(value))
    return 'Write it without quotes.';
  return `Write ${expected}${typeof fact.example === 'object' || fact.example === undefined ? '' : `, as in ${shown(fact.example)}`}.`;
}
