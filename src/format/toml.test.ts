import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { printToml, type TomlTable } from './toml.ts';

const key = fc.oneof(fc.constantFrom('a', 'b-c', 'io.containerd.grpc.v1.cri', 'x y', '', '"', "'"), fc.string());
const scalar = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed()),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 3 }),
);
const table = fc.dictionary(key, scalar, { maxKeys: 4, noNullPrototype: true });
const nested = fc.dictionary(
  key,
  fc.oneof(
    scalar,
    fc.dictionary(key, fc.oneof(scalar, filled(table)), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
  { maxKeys: 4, noNullPrototype: true },
);

// An empty table has no line of its own; containerd's configuration has none.
function filled(arbitrary: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return arbitrary.filter((value) => Object.keys(value).length > 0);
}

function withoutProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return Object.entries(value).every(([name, entry]) => name !== '__proto__' && withoutProto(entry));
}

/** A plain copy, so that prototypes do not count. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('printToml', () => {
  test('another parser reads back whatever was printed', () => {
    fc.assert(
      fc.property(nested.filter(withoutProto), (value) => {
        expect(plain(parse(printToml(value as TomlTable)))).toEqual(plain(value));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test.each([
    ['a quote', 'a"b'],
    ['a backslash', String.raw`a\b`],
    ['a line break', 'a\nb'],
    ['controls', '\u0000\u0001\u001f\u007f'],
    ['a character beyond the first plane', '👍'],
  ])('a string with %s is read back', (_, value) => {
    expect(parse(printToml({ value }))).toEqual({ value });
  });

  test('values of a table stand before its sub-tables, whatever the order given', () => {
    expect(printToml({ inner: { a: 1 }, version: 2 })).toBe('version = 2\n\n[inner]\na = 1\n');
  });

  test('a key with a dot is quoted, so that it is one key', () => {
    expect(printToml({ plugins: { 'io.x': { a: true } } })).toBe('[plugins."io.x"]\na = true\n');
  });

  test('a table that holds tables alone gets no header', () => {
    expect(printToml({ a: { b: { c: 1 } } })).toBe('[a.b]\nc = 1\n');
  });
});
