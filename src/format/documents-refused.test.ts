import { describe, expect, test } from 'vitest';
import type { Problem } from '../core/problem.ts';
import { parseDocuments, type ParsedDocument } from './documents.ts';

/** The only problem of a text with one document. */
function problemOf(text: string): Problem {
  const documents = parseDocuments(text);
  expect(documents).toHaveLength(1);
  expect(documents[0]!.value).toBeUndefined();
  expect(documents[0]!.problems).toHaveLength(1);
  return documents[0]!.problems[0]!;
}

describe('an empty file or document', () => {
  test.each(['', ' \n\t\n', '# a comment alone\n', '---\n', 'null\n', '~'])('is refused (%j)', (text) => {
    expect(problemOf(text)).toMatchObject({ severity: 'error', code: 'DOCUMENT_EMPTY', path: '' });
  });

  test('is named by its number, and the other documents are read', () => {
    const documents = parseDocuments('a: 1\n---\n---\nb: 2\n');
    expect(documents.map(({ problems }) => problems.map(({ code, document }) => [code, document]))).toEqual([
      [],
      [['DOCUMENT_EMPTY', 1]],
      [],
    ]);
  });

  test('is shown where it stands, not at the beginning of the file', () => {
    const [, empty] = parseDocuments('a: 1\nb: 2\n---\n');
    expect(empty!.problems[0]!.line).toBeGreaterThanOrEqual(3);
  });
});

describe('a key that stands twice', () => {
  test.each([
    ['in YAML', 'a: 1\na: 2\n', '/a', 2, 1],
    ['in JSON', '{"a":1,"a":2}', '/a', 1, 8],
    ['in an inner mapping', 'x:\n  b/c: 1\n  b/c: 2\n', '/x/b~1c', 3, 3],
    ['quoted and not', '"a": 1\na: 2\n', '/a', 2, 1],
    ['in a list', 'x:\n- {a: 1, a: 2}\n', '/x/0/a', 2, 10],
  ])('is refused %s, at the second one', (_, text, path, line, column) => {
    expect(problemOf(text)).toMatchObject({ severity: 'error', code: 'FIELD_DUPLICATE', path, line, column });
  });

  test('is found in a JSON line, with the number of its document', () => {
    const [, second] = parseDocuments('{"a":1}\n{"a":1,"a":2}\n');
    expect(second!.problems).toMatchObject([{ code: 'FIELD_DUPLICATE', document: 1, line: 2, column: 8 }]);
  });

  test('is reported once for each time too many', () => {
    expect(parseDocuments('a: 1\na: 2\na: 3\n')[0]!.problems.map(({ line }) => line)).toEqual([2, 3]);
  });
});

describe('text that does not parse', () => {
  test.each([
    ['a colon too many', 'a: b: c\n', 1],
    ['a bracket that does not close', 'x: 1\na: [1\nb: 2\n', 3],
    ['a tab as indentation', 'a:\n\t- b\n', 2],
    ['two JSON values on a line', '{"a":1} {"a":2}', 1],
    ['an alias without anchor', 'a: 1\nb: *x\n', 2],
    ['an alias of a list within itself', 'a: &a [*a]\n', 1],
    ['a tag of its own', 'a: !binary eA==\n', 1],
    ['a merge of a number', 'a:\n  <<: 3\n', 2],
    ['a list as key', '? [a]\n: 1\n', 1],
  ])('%s is a problem with its line', (_, text, line) => {
    expect(problemOf(text)).toMatchObject({ severity: 'error', code: 'DOCUMENT_SYNTAX', line });
  });

  test.each([
    ['as value', 'a: {{ .Values.arch }}\n'],
    ['as key', '{{ name }}: 1\n'],
    ['as mapping used as key', '? {a: b}\n: 1\n'],
  ])('a template that was not filled in is a problem and not an exception (%s)', (_, text) => {
    const [{ value, problems }] = parseDocuments(text) as [ParsedDocument];
    expect(value).toBeUndefined();
    expect(problems[0]).toMatchObject({ severity: 'error', code: 'DOCUMENT_SYNTAX', line: 1 });
  });

  test('one JSON line that is cut off is a problem of that document alone', () => {
    const [first, second] = parseDocuments('{"a":1}\n{"a":\n');
    expect(first!.problems).toEqual([]);
    expect(second!.problems).toEqual([expect.objectContaining({ code: 'DOCUMENT_SYNTAX', document: 1, line: 2 })]);
  });

  test.each([
    ['plain', 'a: x\0y\n'],
    ['quoted', 'a: "x\0y"\n'],
    ['JSON', '{"a":"x\0y"}'],
  ])('NUL is a problem (%s)', (_, text) => {
    expect(problemOf(text)).toMatchObject({ severity: 'error', line: 1 });
  });

  test.each([
    ['lists', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['mappings', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['block lists', `${'- '.repeat(20_000)}x\n`],
  ])('deep nesting is a problem and not an exhausted stack (%s)', (_, text) => {
    expect(problemOf(text)).toMatchObject({ severity: 'error', code: 'DOCUMENT_SYNTAX' });
  });

  test('no problem quotes the text, which may hold a password', () => {
    const texts = [
      'password: hunter2: x\n',
      'a: "hunter2\n',
      'hunter2\nb: 1\n',
      'a: !hunter2 x\n',
      'a: *hunter2\n',
      'a: &hunter2\n  &hunter2 x\n',
      'a: [hunter2\n',
      '@hunter2',
      'a: |hunter2\n',
      '!hunter2!x a: 1\n',
      'hunter2: 1\nhunter2: 2\n',
    ];
    for (const text of texts) {
      const problems = parseDocuments(text).flatMap((document) => document.problems);
      expect(problems.length, text).toBeGreaterThan(0);
      expect(problems.map(({ message, hint }) => message + hint).join(), text).not.toContain('hunter2');
    }
  });
});

describe('aliases that multiply', () => {
  test.each([
    ['lists', (previous: string) => `[${Array.from({ length: 10 }, () => previous).join(', ')}]`],
    [
      'mappings',
      (previous: string) => `{${Array.from({ length: 10 }, (_, key) => `k${key}: ${previous}`).join(', ')}}`,
    ],
    ['merges', (previous: string) => `{<<: [${Array.from({ length: 10 }, () => previous).join(', ')}]}`],
  ])('are refused before they are expanded (%s)', (_, level) => {
    const lines = ['a0: &a0 {k: v}'];
    for (let depth = 1; depth < 30; depth++) lines.push(`a${depth}: &a${depth} ${level(`*a${depth - 1}`)}`);
    expect(problemOf(`${lines.join('\n')}\n`)).toMatchObject({ severity: 'error', code: 'DOCUMENT_TOO_LARGE' });
  });

  test('are fine while they are few', () => {
    expect(parseDocuments('a: &a [1, 2]\nb: [*a, *a]\nc: *a\n')[0]!.problems).toEqual([]);
  });
});

test('each of very many problems has its place', () => {
  const { problems } = parseDocuments('a: 1\n'.repeat(20_000))[0]!;
  expect(problems).toHaveLength(19_999);
  expect(problems.at(-1)).toMatchObject({ line: 20_000, column: 1 });
});
