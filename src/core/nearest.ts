import { compareCodeUnits } from './problem.ts';

/**
 * The candidate that a misspelt name most likely meant: fewest edits, case ignored, and none when more than
 * a third of the name would have to change. Ties go to the first by code unit.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  // Longer than any name we have: no typo, and the distance is quadratic.
  if (name.length > 64) return undefined;
  let best: string | undefined;
  let bestDistance = Math.floor(Math.max(name.length, 3) / 3) + 1;
  for (const candidate of [...candidates].toSorted(compareCodeUnits)) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Edits (insert, delete, replace, swap of neighbours) that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(previous[j]! + 1, current[j - 1]! + 1, replace);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, beforePrevious[j - 2]! + 1);
      }
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
