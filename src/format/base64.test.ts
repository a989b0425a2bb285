import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64, encodeBase64, isBase64, withoutWhiteSpace } from './base64.ts';

// Vectors of RFC 4648, section 10.
const VECTORS = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
] as const;

test.each(VECTORS)('%j is %s and back', (text, base64) => {
  expect(encodeBase64(text)).toEqual({ text, base64, bytes: text.length });
  expect(decodeBase64(base64)).toBe(text);
});

test('a text outside ASCII is encoded as UTF-8 and counted in bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { base64, bytes } = encodeBase64(text);
      expect(Buffer.from(base64, 'base64').toString('utf8')).toBe(text);
      expect(bytes).toBe(Buffer.byteLength(text));
    }),
    { seed: 1 },
  );
});

test('every byte comes back as one character', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  expect(decodeBase64(bytes.toString('base64'))).toBe(bytes.toString('latin1'));
});

describe('refused', () => {
  test.each([
    ['missing padding', 'Zg'],
    ['half of the padding', 'Zg='],
    ['too much padding', 'Zm9v===='],
    ['the alphabet of URLs', '-_-_'],
    ['a character of no alphabet', 'Zm9!'],
    ['text after the padding', 'Zg==Zg=='],
    ['a line break', 'Zm9v\nYmFy'],
    ['a blank', 'Zm9v '],
  ])('%s', (_, text) => {
    expect(decodeBase64(text)).toBeUndefined();
    expect(isBase64(text)).toBe(false);
  });
});

describe('white space', () => {
  test('is skipped where it is allowed', () => {
    expect(decodeBase64('Zm9v\r\nYm Fy\t\n', 'allowed')).toBe('foobar');
  });

  test.each(['Zg \n', 'Zm8\n', 'Zm9v Zg\n'])('does not stand in for missing padding (%j)', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
    expect(decodeBase64(text, 'allowed')).toBeUndefined();
  });

  test('is taken out of a text', () => {
    expect(withoutWhiteSpace(' a\tb\r\nc\f')).toBe('abc');
  });
});
