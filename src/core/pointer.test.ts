import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pointerTo } from './pointer.ts';

// Keys and pointers of RFC 6901, section 5.
test.each([
  ['foo', '/foo'],
  ['', '/'],
  ['a/b', '/a~1b'],
  ['c%d', '/c%d'],
  ['e^f', '/e^f'],
  [String.raw`i\j`, String.raw`/i\j`],
  ['k"l', '/k"l'],
  [' ', '/ '],
  ['m~n', '/m~0n'],
])('the key %j becomes %s', (key, expected) => {
  expect(pointerTo('', key)).toBe(expected);
});

test('an index is appended as it is', () => {
  expect(pointerTo('/taints', 0)).toBe('/taints/0');
});

test('a tilde is escaped before a slash, so that ~1 in a key stays itself', () => {
  expect(pointerTo('', '~1')).toBe('/~01');
});

test('every key comes back from its pointer', () => {
  fc.assert(
    fc.property(fc.string(), (key) => {
      const token = pointerTo('/a', key).slice('/a/'.length);
      expect(token).not.toContain('/');
      expect(token.replaceAll('~1', '/').replaceAll('~0', '~')).toBe(key);
    }),
    { seed: 1 },
  );
});
