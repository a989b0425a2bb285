import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocuments } from '../format/documents.ts';
import { printYaml } from './yaml.ts';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'yes',
    'on',
    'y',
    'null',
    '~',
    '',
    '0x1f',
    '010',
    '1_000',
    '12:30:45',
    '1e3',
    '=',
    '<<',
    '2020-01-01',
    'a: b',
    "it's",
    'a\nb\n',
  ),
);

test('every text is read back as the text that it was, as Kubernetes reads YAML', () => {
  const value = fc.record({ text, list: fc.array(text), map: fc.dictionary(text, text) });
  fc.assert(
    fc.property(value, (one) => {
      expect(parseDocuments(printYaml({ one }))[0]!.value).toEqual({ one });
    }),
  );
});

test('keys are sorted, lists are not indented, and long lines stay whole', () => {
  const long = 'a '.repeat(200);
  expect(printYaml({ b: [{ d: 1, c: long }], a: {} })).toBe(`a: {}\nb:\n- c: '${long}'\n  d: 1\n`);
});
