/** A line of two texts: in both, or in one of them alone. */
export interface DiffLine {
  readonly op: ' ' | '-' | '+';
  readonly line: string;
}

/**
 * The lines of two texts beside each other, with as many as possible in both. It takes time and room with the product of
 * what is between their common beginning and end.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]): readonly DiffLine[] => lines.map((line) => ({ op: ' ', line }));
  return [
    ...same(old.slice(0, start)),
    ...between(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

function between(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  // Length of the longest common rest, from each pair of places on.
  const rests = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = now.length - 1; b >= 0; b -= 1)
      rests[a]![b] = old[a] === now[b] ? rests[a + 1]![b + 1]! + 1 : Math.max(rests[a + 1]![b]!, rests[a]![b + 1]!);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (a < old.length && b < now.length && old[a] === now[b]) {
      lines.push({ op: ' ', line: old[a]! });
      a += 1;
      b += 1;
    } else if (b === now.length || (a < old.length && rests[a + 1]![b]! >= rests[a]![b + 1]!)) {
      lines.push({ op: '-', line: old[a]! });
      a += 1;
    } else {
      lines.push({ op: '+', line: now[b]! });
      b += 1;
    }
  }
  return lines;
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}
