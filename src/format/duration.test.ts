import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalGoDuration, formatGoDuration, isGoDuration, parseGoDuration } from './duration.ts';

const LARGEST = 2n ** 63n - 1n;

describe('Go reads and prints', () => {
  test.each([
    ['0', '0s'],
    ['+0', '0s'],
    ['-0', '0s'],
    ['0s', '0s'],
    ['0h0m', '0s'],
    ['5s', '5s'],
    ['60s', '1m0s'],
    ['90s', '1m30s'],
    ['59s', '59s'],
    ['1m', '1m0s'],
    ['1m5s', '1m5s'],
    ['60m', '1h0m0s'],
    ['61m', '1h1m0s'],
    ['1h30m5s', '1h30m5s'],
    ['36h', '36h0m0s'],
    ['100h', '100h0m0s'],
    ['1500ms', '1.5s'],
    ['1ms', '1ms'],
    ['1.5ms', '1.5ms'],
    ['100us', '100\u00b5s'],
    ['100\u00b5s', '100\u00b5s'],
    ['100\u03bcs', '100\u00b5s'],
    ['999ns', '999ns'],
    ['1000ns', '1\u00b5s'],
    ['1ns', '1ns'],
    ['.5s', '500ms'],
    ['1.s', '1s'],
    ['1.25m', '1m15s'],
    ['0.1ns', '0s'],
    ['1m1ms', '1m0.001s'],
    ['-1.5h', '-1h30m0s'],
    ['+2s', '2s'],
    ['-90s', '-1m30s'],
    ['1s1s', '2s'],
    ['1ms1s1m1h', '1h1m1.001s'],
    ['00005s', '5s'],
    ['9223372036854775807ns', '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
  ])('%s as %s', (text, expected) => {
    expect(canonicalGoDuration(text)).toBe(expected);
    expect(isGoDuration(text)).toBe(true);
  });
});

describe('Go refuses', () => {
  test.each([
    ['nothing', ''],
    ['a number without unit', '5'],
    ['a sign alone', '-'],
    ['a unit alone', 's'],
    ['a point alone', '.'],
    ['a point with a unit', '.s'],
    ['days', '1d'],
    ['weeks', '1w'],
    ['a blank inside', '1h 30m'],
    ['a blank around', ' 1h'],
    ['a capital unit', '1H'],
    ['a sign inside', '1h-5m'],
    ['an exponent', '1e3s'],
    ['a comma', '1,5s'],
    ['words', 'one minute'],
    ['a second point', '1.2.3s'],
    ['a number after the last unit', '1h30'],
    ['one nanosecond too many', '9223372036854775808ns'],
    ['one nanosecond too few', '-9223372036854775809ns'],
    ['hours beyond 292 years', '3000000h'],
    ['a line break at the end', '1s\n'],
  ])('%s (%j)', (_, text) => {
    expect(parseGoDuration(text)).toBeUndefined();
    expect(isGoDuration(text)).toBe(false);
    expect(canonicalGoDuration(text)).toBeUndefined();
  });
});

test('every number of nanoseconds comes back from its text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -LARGEST - 1n, max: LARGEST }), (nanoseconds) => {
      expect(parseGoDuration(formatGoDuration(nanoseconds))).toBe(nanoseconds);
    }),
    { seed: 1 },
  );
});

test('what is already in the form of Go stays as it is', () => {
  fc.assert(
    fc.property(fc.nat({ max: 200_000 }), (seconds) => {
      const text = formatGoDuration(BigInt(seconds) * 1_000_000_000n);
      expect(canonicalGoDuration(text)).toBe(text);
    }),
    { seed: 1 },
  );
});
