import { isSame } from '../../../core/same.ts';
import { parentOf, pointerTo, tokensOf } from '../../../core/pointer.ts';
import type { Problem } from '../../../core/problem.ts';
import { applyPatch, valueAt } from './patch.ts';
import type { Change } from './rule.ts';

/** What became of one field of a manifest. `lost` means that neither a rule nor a problem says why it is gone. */
export interface FieldAccount {
  /** JSON pointer into the manifest, to a value without parts: a text, a number, an empty list and so on. */
  readonly path: string;
  readonly verdict: 'kept' | 'changed' | 'refused' | 'lost';
  /** The rule that changed it. */
  readonly rule?: string;
  /** The code of the problem that refuses it. */
  readonly code?: string;
}

/** What was made of a manifest: a Pod, or the template of a DaemonSet. */
export interface Result {
  readonly output: unknown;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
}

/**
 * Says of every field of a manifest what became of it. A field counts as kept only if it is found in the output
 * where the changes of lists have moved it to, so that this does not take the list of changes at its word.
 */
export function accountFor(manifest: unknown, { output, changes, problems }: Result): readonly FieldAccount[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const patches = changes.filter(({ object }) => object === 'Pod');
  const documents = patches.reduce<readonly unknown[]>(
    (before, change) => [...before, applyPatch(before.at(-1), change)],
    [manifest],
  );
  return leavesOf(manifest).map((path): FieldAccount => {
    const refusal = errors.find((problem) => isWithin(path, problem.path));
    if (refusal !== undefined) return { path, verdict: 'refused', code: refusal.code };
    const { place, rule } = follow(path, patches, documents);
    if (place !== undefined && isSame(valueAt(output, place), valueAt(manifest, path)))
      return { path, verdict: 'kept' };
    if (rule !== undefined) return { path, verdict: 'changed', rule };
    return { path, verdict: output === undefined && errors.length > 0 ? 'refused' : 'lost' };
  });
}

/** The pointers to everything in a document that has no parts. */
export function leavesOf(node: unknown, path = ''): readonly string[] {
  const parts = typeof node === 'object' && node !== null ? Object.entries(node) : [];
  if (parts.length === 0) return [path];
  return parts.flatMap(([key, value]) => leavesOf(value, pointerTo(path, key)));
}

/** Where a field is after the changes, and which rule touched it last. */
function follow(
  path: string,
  changes: readonly Change[],
  documents: readonly unknown[],
): { readonly place: string | undefined; readonly rule: string | undefined } {
  let place: string | undefined = path;
  let rule: string | undefined;
  for (const [index, change] of changes.entries()) {
    if (place === undefined) break;
    if (isWithin(place, change.path) && (change.op !== 'add' || !isElement(documents[index], change.path))) {
      rule = change.rule;
      if (change.op === 'remove') place = undefined;
    } else place = moved(place, change, documents[index]);
  }
  return { place, rule };
}

/** The place of a field after an element of a list before it was added or removed. */
function moved(place: string, { op, path }: Change, document: unknown): string {
  if (op === 'replace' || !isElement(document, path)) return place;
  const list = parentOf(path);
  if (!place.startsWith(`${list}/`)) return place;
  const [first = '', ...rest] = tokensOf(place.slice(list.length));
  const at = Number(path.slice(list.length + 1));
  const index = Number(first);
  const after = op === 'add' ? (index >= at ? index + 1 : index) : index > at ? index - 1 : index;
  return [String(after), ...rest].reduce(pointerTo, list);
}

function isElement(document: unknown, path: string): boolean {
  return Array.isArray(valueAt(document, parentOf(path)));
}

function isWithin(path: string, ancestor: string): boolean {
  return ancestor !== '' && (path === ancestor || path.startsWith(`${ancestor}/`));
}
