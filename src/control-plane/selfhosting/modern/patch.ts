import { isSame } from '../../../core/same.ts';
import { pointerTo, tokensOf } from '../../../core/pointer.ts';

/** What a rule wants: the value at a JSON pointer set, or without `value` the place removed. */
export interface Edit {
  readonly path: string;
  readonly value?: unknown;
  /** Puts the value before the element of a list that stands at the path, in place of setting that element. */
  readonly insert?: true;
}

/** What an edit did, as RFC 6902 names it. In a list `add` inserts and `remove` closes the gap. */
export type Patch =
  | { readonly op: 'add'; readonly path: string; readonly after: unknown }
  | { readonly op: 'remove'; readonly path: string; readonly before: unknown }
  | { readonly op: 'replace'; readonly path: string; readonly before: unknown; readonly after: unknown };

/** The value at a JSON pointer, or `undefined`. */
export function valueAt(document: unknown, path: string): unknown {
  return tokensOf(path).reduce(childOf, document);
}

function childOf(node: unknown, token: string): unknown {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, token)) return undefined;
  return (node as Record<string, unknown>)[token];
}

/**
 * The patch that an edit comes to on a document, or `undefined` when it changes nothing. Where the parents of the
 * path are missing (or null, which Kubernetes reads as missing) they are made, and the patch is about the highest
 * of them: undoing it leaves nothing behind.
 */
export function patchOf(document: unknown, edit: Edit): Patch | undefined {
  const { path, value } = edit.value === undefined ? edit : withParents(document, edit);
  const before = valueAt(document, path);
  if (value === undefined) return before === undefined ? undefined : { op: 'remove', path, before };
  if (before === undefined || edit.insert) return { op: 'add', path, after: value };
  return isSame(before, value) ? undefined : { op: 'replace', path, before, after: value };
}

function withParents(document: unknown, edit: Edit): Edit {
  const tokens = tokensOf(edit.path);
  let node = document;
  let path = '';
  for (const [depth, token] of tokens.slice(0, -1).entries()) {
    node = childOf(node, token);
    path = pointerTo(path, token);
    if (node !== undefined && node !== null) continue;
    const rest = tokens.slice(depth + 1);
    return { path, value: rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), edit.value) };
  }
  return edit;
}

/** The document after a patch. The given one stays as it is, and what the patch does not touch is shared. */
export function applyPatch<T>(document: T, patch: Patch): T {
  return replaced(document, tokensOf(patch.path), patch) as T;
}

function replaced(node: unknown, [token, ...rest]: readonly string[], patch: Patch): unknown {
  if (token === undefined) return patch.op === 'remove' ? undefined : patch.after;
  if (Array.isArray(node)) {
    const list: readonly unknown[] = node;
    if (rest.length > 0) return list.with(Number(token), replaced(list[Number(token)], rest, patch));
    if (patch.op === 'remove') return list.toSpliced(Number(token), 1);
    return list.toSpliced(Number(token), patch.op === 'add' ? 0 : 1, patch.after);
  }
  const { [token]: child, ...others } = node as Record<string, unknown>;
  if (rest.length === 0 && patch.op === 'remove') return others;
  // Spread before the key, so that a key that is replaced keeps its place.
  return { ...(node as object), [token]: replaced(child, rest, patch) };
}

/** The patch that takes another one back. */
export function inverse(patch: Patch): Patch {
  switch (patch.op) {
    case 'add':
      return { op: 'remove', path: patch.path, before: patch.after };
    case 'remove':
      return { op: 'add', path: patch.path, after: patch.before };
    case 'replace':
      return { op: 'replace', path: patch.path, before: patch.after, after: patch.before };
    default:
      return patch satisfies never;
  }
}

/**
 * The edits that make one list of another and touch nothing that stays: by the longest common subsequence, where
 * what is removed and added at one place is replaced. Each path is meant for the list as the edits before left it.
 */
export function listEdits(path: string, before: readonly unknown[], after: readonly unknown[]): readonly Edit[] {
  const gaps = gapsBetween(before, after);
  const changed = gaps.flatMap(({ from, fromEnd, to, toEnd }): Edit[] =>
    range(from, fromEnd).map((index) => {
      const other = to + index - from;
      return other < toEnd ? { path: pointerTo(path, index), value: after[other] } : { path: pointerTo(path, index) };
    }),
  );
  const inserted = gaps.flatMap(({ from, fromEnd, to, toEnd }): Edit[] =>
    range(to + fromEnd - from, toEnd).map((index) => ({
      path: pointerTo(path, index),
      value: after[index],
      insert: true,
    })),
  );
  // From the back, so that no removal moves what a later edit means; then from the front, where all before is done.
  return [...changed.toReversed(), ...inserted];
}

interface Gap {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

/** The stretches between what two lists have in common. */
function gapsBetween(before: readonly unknown[], after: readonly unknown[]): readonly Gap[] {
  const lengths = commonLengths(before, after);
  const gaps: Gap[] = [];
  let start = { from: 0, to: 0 };
  let { from, to } = start;
  const close = () => {
    if (from > start.from || to > start.to) gaps.push({ ...start, fromEnd: from, toEnd: to });
  };
  while (from < before.length && to < after.length) {
    if (isSame(before[from], after[to])) {
      close();
      from += 1;
      to += 1;
      start = { from, to };
    } else if (lengths[from + 1]![to]! >= lengths[from]![to + 1]!) from += 1;
    else to += 1;
  }
  from = before.length;
  to = after.length;
  close();
  return gaps;
}

/** Length of the longest common subsequence of what follows each pair of places. */
function commonLengths(before: readonly unknown[], after: readonly unknown[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0));
  for (let from = before.length - 1; from >= 0; from--) {
    for (let to = after.length - 1; to >= 0; to--) {
      lengths[from]![to] = isSame(before[from], after[to])
        ? lengths[from + 1]![to + 1]! + 1
        : Math.max(lengths[from + 1]![to]!, lengths[from]![to + 1]!);
    }
  }
  return lengths;
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}
