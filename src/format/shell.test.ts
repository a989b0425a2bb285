import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignment, isIdentifier, quote } from './shell.ts';

/** What a real bash makes of quoted values: one process for all of them, in the plainest locale and not. */
function throughBash(values: readonly string[], locale: string): string[] {
  const script = values.map((value) => `printf '%s\\0' ${quote(value)}`).join('\n');
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-s'], {
    input: script,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env['PATH'], LC_ALL: locale },
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout.split('\0').slice(0, -1);
}

const HOSTILE = [
  '',
  ' ',
  "'",
  "''",
  "it's",
  `'"'"'`,
  '$(touch /tmp/bootlace-pwned)',
  '`id`',
  '${HOME}',
  '$HOME',
  '\\',
  "\\'",
  'a\nb',
  '\n',
  'a\r\nb\t',
  '!history',
  '*',
  '~',
  '# comment',
  '-n',
  'a;b&c|d<e>f',
  '\u0001\u001b[31m\u007f',
  'größe 日本語 👍',
  '\u2028\u00a0\ufeff',
];

const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '\n', ' ', '!', '('), maxLength: 40 }),
  )
  .filter((value) => !value.includes('\0'));

describe('quote', () => {
  test.each(['C', 'C.UTF-8'])('every hostile text survives a real bash in the locale %s', (locale) => {
    expect(throughBash(HOSTILE, locale)).toEqual(HOSTILE);
  });

  test('every text without NUL survives a real bash', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 50, maxLength: 200 }), (values) => {
        expect(throughBash(values, 'C')).toEqual(values);
      }),
      { seed: 1, numRuns: 20 },
    );
  });

  test('a value without a single quote is wrapped and otherwise as it was', () => {
    expect(quote('a "b" $c')).toBe(`'a "b" $c'`);
  });
});

describe('isIdentifier', () => {
  test.each(['A', '_', 'a1', 'PROXY_VARS', '_0'])('bash takes %s as a name', (name) => {
    expect(isIdentifier(name)).toBe(true);
  });

  test.each(['', '1A', 'A-B', 'A B', 'A=1', 'a[0]', 'É', 'A\n', '$A'])('bash does not take %j as a name', (name) => {
    expect(isIdentifier(name)).toBe(false);
  });
});

test('an assignment is name, equals sign and quoted value', () => {
  expect(assignment('LABELS', quote("it's"))).toBe(String.raw`LABELS='it'\''s'`);
});
