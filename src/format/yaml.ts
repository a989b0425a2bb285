import { dump } from 'js-yaml';

/**
 * A value as YAML, in the form that kubectl and kubeadm write: keys sorted by code unit, lists not indented, lines
 * never folded. What some reader of YAML would take for a number, a date or a truth value stands in quotes.
 */
export function printYaml(value: unknown): string {
  return dump(sorted(value), { noRefs: true, seqNoIndent: true, lineWidth: -1 });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).toSorted();
  const copy = Object.create(null) as Record<string, unknown>;
  // No prototype, so that a key may have any name.
  for (const key of keys) copy[key] = sorted((value as Record<string, unknown>)[key]);
  return copy;
}
