import { describe, expect, test } from 'vitest';
import { parseDocuments } from './documents.ts';

/** The value of a text with one document. */
function valueOf(text: string): unknown {
  const documents = parseDocuments(text);
  expect(documents.map(({ problems }) => problems)).toEqual([[]]);
  // Through JSON, so that records without prototype compare as plain ones.
  return JSON.parse(JSON.stringify(documents[0]!.value));
}

function valuesOf(text: string): unknown[] {
  return parseDocuments(text).map(({ value }) => JSON.parse(JSON.stringify(value)) as unknown);
}

describe('documents', () => {
  test('YAML and JSON give the same value', () => {
    const value = { arch: 'amd64', taints: [{ key: 'a', effect: 'NoSchedule' }], gpuNode: true };
    expect(valueOf('arch: amd64\ntaints:\n- key: a\n  effect: NoSchedule\ngpuNode: true\n')).toEqual(value);
    expect(valueOf(JSON.stringify(value))).toEqual(value);
    expect(valueOf(JSON.stringify(value, null, '\t'))).toEqual(value);
  });

  test.each([
    ['three dashes between', 'a: 1\n---\na: 2\n'],
    ['three dashes in front as well', '---\na: 1\n---\na: 2\n'],
    ['dots at the end of one', 'a: 1\n...\n---\na: 2\n'],
    ['one JSON object a line', '{"a":1}\n{"a":2}\n'],
    ['JSON lines without a last line break', '{"a":1}\n{"a":2}'],
    ['JSON lines of Windows', '{"a":1}\r\n{"a":2}\r\n'],
    ['JSON lines with an empty one', '{"a":1}\n\n{"a":2}\n'],
    ['JSON between dashes', '{"a":1}\n---\n{"a":2}\n'],
  ])('several documents: %s', (_, text) => {
    expect(valuesOf(text)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(parseDocuments(text).map(({ source }) => source.document)).toEqual([0, 1]);
  });

  test('JSON over several lines is one document', () => {
    expect(valuesOf('{"a":\n1\n}\n')).toEqual([{ a: 1 }]);
  });

  test('escapes of JSON are read, a surrogate pair as one character', () => {
    expect(valueOf(String.raw`{"a":"\/\u00e9\ud83d\udc4d\n"}`)).toEqual({ a: '/é👍\n' });
  });

  test('a byte-order mark in front is no part of the first key', () => {
    expect(valueOf('\ufeffarch: amd64\n')).toEqual({ arch: 'amd64' });
  });

  test('line ends of Windows are no part of a value', () => {
    expect(valueOf('a: x\r\nb:\r\n  c: z\r\n')).toEqual({ a: 'x', b: { c: 'z' } });
  });
});

describe('plain scalars are read as Kubernetes reads them', () => {
  test.each<[string, unknown]>([
    ['1.30', 1.3],
    ['010', 8],
    ['0o17', 15],
    ['0x1f', 31],
    ['1_000', 1000],
    ['+1', 1],
    ['on', true],
    ['yes', true],
    ['NO', false],
    ['off', false],
    ['~', null],
    ['', null],
    ['1:30', '1:30'],
    ['2026-01-31', '2026-01-31'],
    ['1.33.7', '1.33.7'],
    ['12345678-1234', '12345678-1234'],
    ['"1.30"', '1.30'],
    ["'on'", 'on'],
    ['!!str 1.30', '1.30'],
  ])('%s is %j', (text, expected) => {
    expect(valueOf(`a: ${text}\n`)).toEqual({ a: expected });
  });
});

describe('keys keep their spelling', () => {
  test.each(['10', 'on', '010', 'null', '~', '1.30', 'true', '0x1f', 'constructor', 'a b'])('%s', (key) => {
    expect(valueOf(`${key}: x\n`)).toEqual({ [key]: 'x' });
  });

  test('a key __proto__ is an entry like any other', () => {
    const { value } = parseDocuments('__proto__: x\nb: y\n')[0]!;
    expect(Object.keys(value as object)).toEqual(['__proto__', 'b']);
    expect(Object.getPrototypeOf(value)).toBeNull();
  });
});

describe('aliases', () => {
  test('an alias stands for the value of its anchor', () => {
    expect(valueOf('a: &x [1, 2]\nb: *x\n')).toEqual({ a: [1, 2], b: [1, 2] });
  });

  test('a merge key adds what the mapping itself does not have', () => {
    expect(valueOf('a: &x {k: 1, l: 2}\nb:\n  l: 3\n  <<: *x\n')).toEqual({ a: { k: 1, l: 2 }, b: { k: 1, l: 3 } });
  });

  test('of several merged mappings the first wins', () => {
    expect(valueOf('b:\n  <<: [{a: 1}, {a: 2, c: 3}]\n')).toEqual({ b: { a: 1, c: 3 } });
  });

  test('a quoted merge key is a key', () => {
    expect(valueOf('"<<": {a: 1}\n')).toEqual({ '<<': { a: 1 } });
  });
});

describe('positions', () => {
  const text = 'arch: amd64\nlabels:\n  team: x\n  a/b: y\ntaints:\n  - key: k\n    effect: "NoSchedule"\n';
  const { source } = parseDocuments(text)[0]!;

  test.each([
    ['/arch', { line: 1, column: 1 }],
    ['/labels/team', { line: 3, column: 3 }],
    ['/labels/a~1b', { line: 4, column: 3 }],
    ['/taints/0', { line: 6, column: 5 }],
    ['/taints/0/effect', { line: 7, column: 5 }],
  ])('%s stands at %j', (path, expected) => {
    expect(source.position(path)).toEqual(expected);
  });

  test('a missing field is shown at the mapping that it is missing in', () => {
    expect(source.position('/taints/0/value')).toEqual(source.position('/taints/0'));
  });

  test('columns count from 1 in UTF-16 code units', () => {
    expect(parseDocuments('{"👍": 1, "a": 2}')[0]!.source.position('/a')).toEqual({ line: 1, column: 11 });
  });

  test('lines count through all documents of the file', () => {
    expect(parseDocuments('a: 1\n---\n\nb: 2\n')[1]!.source.position('/b')).toEqual({ line: 4, column: 1 });
    expect(parseDocuments('{"a":1}\n{"b":2}\n')[1]!.source.position('/b')).toEqual({ line: 2, column: 2 });
  });

  test('the source text of a plain scalar is kept as it was written', () => {
    const { source: numbers } = parseDocuments('a: 1.30\nb: "1.30"\nc: {d: 010}\n')[0]!;
    expect(numbers.plainText('/a')).toBe('1.30');
    expect(numbers.plainText('/b')).toBeUndefined();
    expect(numbers.plainText('/c/d')).toBe('010');
    expect(numbers.plainText('/x')).toBeUndefined();
  });
});
