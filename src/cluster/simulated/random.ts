import type { Span } from './timings.ts';

/** Numbers that look random and follow from a seed alone. */
export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
  /** Between two numbers, any of them as likely as another. */
  between(low: number, high: number): number;
  /** One element of a list that has some. */
  pick<T>(list: readonly T[]): T;
  /** Lower-case letters and digits, as the API server puts them behind a generated name. */
  letters(count: number): string;
  /** Another sequence, of its own for each name: what one part of a simulation draws is no concern of another's. */
  fork(name: string): Random;
}

/** What one part of a simulation leaves to chance. */
export interface Chance {
  readonly random: Random;
  /** A time of a span. */
  readonly draw: (span: Span) => number;
}

export function createChance(random: Random): Chance {
  return { random, draw: ([low, high]) => Math.round(random.between(low, high)) };
}

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'.split('');

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  // Mulberry32: every step adds a constant and stirs the sum.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function pick<T>(list: readonly T[]): T {
    return list[Math.floor(next() * list.length)]!;
  }

  return {
    next,
    pick,
    between: (low, high) => low + (high - low) * next(),
    letters: (count) => Array.from({ length: count }, () => pick(LETTERS)).join(''),
    // Both are stirred: neighbouring seeds and similar names are to have nothing in common.
    fork: (name) => createRandom(stirred(hashOf(name) ^ stirred(seed + 0x9e3779b9))),
  };
}

/** The last step of MurmurHash3: each bit of what goes in changes half of what comes out. */
function stirred(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** FNV-1a, 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
