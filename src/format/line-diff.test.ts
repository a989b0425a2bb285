import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from './line-diff.ts';

const shown = (before: string, after: string): readonly string[] =>
  diffLines(before, after).map(({ op, line }) => `${op}${line}`);

test('lines that are in both stay, whatever is between them', () => {
  expect(shown('a\nb\nc\nd\n', 'a\nx\nc\ny\nd\n')).toEqual([' a', '-b', '+x', ' c', '+y', ' d']);
});

test('a text is the same as itself, and nothing is no line', () => {
  expect(shown('a\nb\n', 'a\nb\n')).toEqual([' a', ' b']);
  expect(shown('', '')).toEqual([]);
  expect(shown('', 'a\n')).toEqual(['+a']);
  expect(shown('a\n', '')).toEqual(['-a']);
});

test('both texts can be made of what is shown, and none is shown with more than it needs', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const of = (op: string): string =>
        lines
          .filter((one) => one.op === ' ' || one.op === op)
          .map(({ line }) => line)
          .join('\n');
      expect(of('-')).toBe(before.replace(/\n$/, ''));
      expect(of('+')).toBe(after.replace(/\n$/, ''));
      if (before === after) expect(lines.every(({ op }) => op === ' ')).toBe(true);
    }),
  );
});
