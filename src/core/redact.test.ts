import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeControls, quoted, redact, REDACTED, shown } from './redact.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEA\n'.repeat(4)}-----END RSA PRIVATE KEY-----`;

describe('redact', () => {
  test.each([
    ['a bootstrap token', `token ${TOKEN} expired`, `token ${REDACTED} expired`],
    ['two tokens', `${TOKEN},${TOKEN}`, `${REDACTED},${REDACTED}`],
    ['a token between separators', `x_${TOKEN}-y`, `x_${REDACTED}-y`],
    ['a private key', `key: ${KEY} end`, `key: ${REDACTED} end`],
    ['the head of a private key that was cut', KEY.slice(0, 60), REDACTED],
    ['an elliptic-curve key', KEY.replaceAll('RSA', 'EC'), REDACTED],
    ['a key without an algorithm', KEY.replaceAll('RSA ', ''), REDACTED],
    ['the password of a URL', 'http://me:hunter2@proxy:8080/', `http://me:${REDACTED}@proxy:8080/`],
    ['a password without a user', 'http://:hunter2@proxy', `http://:${REDACTED}@proxy`],
  ])('takes out %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test('takes out a token behind the code of a colour, which ends with a letter', () => {
    expect(redact(`\u001b[32m${TOKEN}\u001b[0m`)).not.toContain(TOKEN);
  });

  test.each([
    ['a slash in it', 'https://me:hun/ter2@host'],
    ['a blank in it', 'https://me:hunter2 x@host'],
    ['an at sign in it', 'https://me:x@hunter2@host'],
  ])('takes out a password with %s', (_, text) => {
    expect(redact(text)).not.toMatch(/ter2/);
  });

  test.each([
    ['a version', '1.30.101-akslts'],
    ['a host name', 'demo-dns-abc123.hcp.westus2.azmk8s.io'],
    ['a token with one character more', `${TOKEN}0`],
    ['a token with one character before', `x${TOKEN}`],
    ['a URL with a port and no password', 'https://proxy:8080/path'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
  ])('leaves %s alone', (_, text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('quoted', () => {
  test('a long text is cut after 60 characters', () => {
    expect(quoted('x'.repeat(61))).toBe(JSON.stringify(`${'x'.repeat(60)}…`));
    expect(quoted('x'.repeat(60))).toBe(JSON.stringify('x'.repeat(60)));
  });

  test('a cut never shows a part of a token, wherever the token stands', () => {
    const filler = fc.string({ unit: fc.constantFrom('-', ' ', '/', 'é'), maxLength: 120 });
    fc.assert(
      fc.property(filler, filler, (before, after) => {
        const text = quoted(`${before}${TOKEN}${after}`);
        expect(text).not.toContain('abcdef');
        expect(text).not.toContain('0123');
      }),
      { seed: 1 },
    );
  });

  test('a token on the border where a very long text is cut is not shown', () => {
    // Redacting shortens the text in front of the token, so that what stands at the border can come into view.
    const key = `-----BEGIN PRIVATE KEY-----${'M'.repeat(4000)}-----END PRIVATE KEY-----`;
    const text = `${key}${' '.repeat(4096 - key.length - 12)}${TOKEN}`;
    expect(quoted(text)).not.toContain('abcdef');
  });

  test('a cut never shows a part of a private key', () => {
    expect(quoted(`${'x'.repeat(30)}${KEY}`)).not.toContain('MIIE');
  });

  test('quotes and backslashes are escaped as in JSON', () => {
    expect(quoted('a"b\\c')).toBe(String.raw`"a\"b\\c"`);
  });

  test.each([
    ['escape', '\u001b', String.raw`\u001b`],
    ['a C1 control', '\u009b', String.raw`\u009b`],
    ['DEL', '\u007f', String.raw`\u007f`],
    ['a right-to-left override', '\u202e', String.raw`\u202e`],
    ['an isolate', '\u2066', String.raw`\u2066`],
    ['a line separator', '\u2028', String.raw`\u2028`],
    ['a zero-width space', '\u200b', String.raw`\u200b`],
    ['a byte-order mark', '\ufeff', String.raw`\ufeff`],
  ])('%s is escaped', (_, character, escaped) => {
    expect(quoted(`a${character}b`)).toBe(`"a${escaped}b"`);
  });
});

describe('shown', () => {
  test.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [true, 'true'],
    [1.5, '1.5'],
    ['x', '"x"'],
    [[1, 2], 'a list of 2'],
    [{ a: 1 }, 'a mapping'],
    [() => 1, 'a function'],
  ])('%j is shown as %s', (value, expected) => {
    expect(shown(value)).toBe(expected);
  });
});

test('escapeControls leaves letters of every script alone', () => {
  const text = 'größe 日本語 👍 ok';
  expect(escapeControls(text)).toBe(text);
});
