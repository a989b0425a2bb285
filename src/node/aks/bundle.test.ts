import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CA_BUNDLE, findings, LENIENT, problemAt, v114, variablesOf } from '../../../test/support/options.ts';

const PEM = Buffer.from(CA_BUNDLE, 'base64').toString('utf8');
const BODY = PEM.split('\n').slice(1, -2).join('');

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function block(body: string, label = 'CERTIFICATE'): string {
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
}

/** DER with some bytes changed, as base64. */
function damaged(change: (der: Buffer) => Buffer): string {
  return change(Buffer.from(BODY, 'base64')).toString('base64');
}

function rendered(caBundle: string, settings = {}): string {
  return variablesOf(v114({ caBundle }), settings)['KUBE_CA_CRT']!;
}

describe('taken', () => {
  test('base64 without line breaks reaches the node as it is', () => {
    expect(rendered(CA_BUNDLE)).toBe(CA_BUNDLE);
  });

  test.each([
    ['lines of 76', CA_BUNDLE.replaceAll(/.{76}/g, '$&\n')],
    ['lines of Windows', CA_BUNDLE.replaceAll(/.{64}/g, '$&\r\n')],
    ['a line break at the end', `${CA_BUNDLE}\n`],
  ])('base64 with %s is joined', (_, caBundle) => {
    expect(findings(v114({ caBundle }))).toEqual([]);
    expect(rendered(caBundle)).toBe(CA_BUNDLE);
  });

  test.each([
    ['as it is in the file', PEM],
    ['without the last line break', PEM.trimEnd()],
    ['with blanks around', `\n  ${PEM}\n\n`],
  ])('PEM %s is encoded', (_, caBundle) => {
    expect(findings(v114({ caBundle }))).toEqual([]);
    expect(rendered(caBundle)).toBe(CA_BUNDLE);
  });

  test.each([
    ['two certificates', PEM + PEM],
    ['a comment before the certificate', `subject=CN = kubernetes\n${PEM}`],
    ['lines of Windows', PEM.replaceAll('\n', '\r\n')],
  ])('%s', (_, pem) => {
    expect(findings(v114({ caBundle: pem }))).toEqual([]);
    expect(findings(v114({ caBundle: base64(pem) }))).toEqual([]);
  });

  test('lenient passes the text on, whatever it is', () => {
    expect(rendered('', LENIENT)).toBe('');
    expect(rendered(PEM, LENIENT)).toBe(PEM);
    expect(rendered(`${CA_BUNDLE}\n`, LENIENT)).toBe(`${CA_BUNDLE}\n`);
  });
});

describe('refused', () => {
  test.each([
    ['nothing', ''],
    ['blanks alone', ' \n'],
    ['a text', 'certificate'],
    ['a path', '/etc/kubernetes/certs/ca.crt'],
    ['base64 of a text', base64('hello')],
    ['base64 of DER without armour', BODY],
    ['base64 that is cut off', CA_BUNDLE.slice(0, -5)],
    ['base64 without its padding', base64(`${PEM}\n`).replace(/=+$/, '')],
    ['the alphabet of URLs', CA_BUNDLE.replaceAll('L', '_')],
    ['PEM that does not end', PEM.slice(0, -30)],
    ['PEM whose first block does not end', PEM.slice(0, -30) + PEM],
    ['PEM with a public key', block('MFkwEwYHKoZIzj0CAQ==', 'PUBLIC KEY')],
    ['an empty block', block('')],
    ['a body that is no base64', block('not base64!')],
    ['DER that is cut off', block(damaged((der) => der.subarray(0, -1)))],
    ['DER with bytes after it', block(damaged((der) => Buffer.concat([der, Buffer.from([0])])))],
    ['DER that is no sequence', block(damaged((der) => Buffer.concat([Buffer.from([0x31]), der.subarray(1)])))],
    ['DER of indefinite length', block(damaged((der) => Buffer.concat([Buffer.from([0x30, 0x80]), der.subarray(2)])))],
  ])('%s', (_, caBundle) => {
    expect(findings(v114({ caBundle }))).toEqual(['error BUNDLE_INVALID /caBundle']);
    expect(findings(v114({ caBundle }), LENIENT)).toEqual(['warning BUNDLE_INVALID /caBundle']);
  });

  // The two line breaks stand where the padding was, and nothing is left of it on the node.
  test('base64 whose padding gave way to line breaks', () => {
    const padded = base64(`${PEM}\n`);
    const lost = padded.replace(/=+$/, (padding) => '\n'.repeat(padding.length));
    expect(lost).not.toBe(padded);
    expect(findings(v114({ caBundle: lost }))).toEqual(['error BUNDLE_INVALID /caBundle']);
  });

  test.each([
    ['once', base64(CA_BUNDLE)],
    ['with line breaks', base64(CA_BUNDLE).replaceAll(/.{76}/g, '$&\n')],
    ['over wrapped base64', base64(`${CA_BUNDLE.replaceAll(/.{76}/g, '$&\n')}\n`)],
  ])('base64 of base64, %s', (_, caBundle) => {
    expect(findings(v114({ caBundle }))).toEqual(['error BUNDLE_DOUBLE_ENCODED /caBundle']);
  });

  test('the second certificate when it is the damaged one', () => {
    const caBundle = PEM + block(damaged((der) => der.subarray(0, -1)));
    expect(problemAt('/caBundle', v114({ caBundle })).message).toContain('block 2 of 2');
  });
});

describe('a private key', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });

  test.each([
    ['alone', key],
    ['after the certificate', PEM + key],
    ['encoded', base64(PEM + key)],
    ['of another kind', key.replaceAll('PRIVATE KEY', 'EC PRIVATE KEY')],
    ['encrypted', key.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY')],
  ])('is refused %s, and never shown', (_, caBundle) => {
    const problem = problemAt('/caBundle', v114({ caBundle }));
    expect(problem).toMatchObject({ severity: 'error', code: 'BUNDLE_PRIVATE_KEY' });
    for (const line of key.trim().split('\n').slice(1, -1)) expect(problem.message + problem.hint).not.toContain(line);
  });

  test('is refused in base64 of base64 as well', () => {
    expect(findings(v114({ caBundle: base64(base64(key)) }))).toEqual([expect.stringMatching(/^error BUNDLE_/)]);
  });
});

describe('PEM in which Go would find no certificate, or not all of them', () => {
  const trimmed = PEM.trimEnd();
  test.each([
    ['two certificates without a line break between them', `${trimmed}${trimmed}\n`],
    ['an indented block', PEM.replaceAll(/^/gm, '  ')],
    ['a good block and an indented one', `${PEM}${PEM.replaceAll(/^/gm, ' ')}`],
    ['everything on one line', PEM.replaceAll('\n', '')],
    ['a byte order mark', `\ufeff${PEM}`],
    ['text behind the armour', PEM.replace('CERTIFICATE-----\n', 'CERTIFICATE----- # ca\n')],
    ['line ends of old Macs', PEM.replaceAll('\n', '\r')],
    ['a NUL before it', `\0${PEM}`],
  ])('%s is refused', (_, pem) => {
    expect(findings(v114({ caBundle: base64(pem) }))).toEqual(['error BUNDLE_INVALID /caBundle']);
    expect(findings(v114({ caBundle: base64(pem) }), LENIENT)).toEqual(['warning BUNDLE_INVALID /caBundle']);
  });

  test.each([
    ['line ends of Windows', PEM.replaceAll('\n', '\r\n')],
    ['comments around', `# the cluster\n${PEM}\nsubject: CN = ca\n${PEM}`],
    ['no line break at the end', trimmed],
    ['blanks behind the armour', PEM.replaceAll('-----\n', '----- \t\n')],
  ])('%s is taken', (_, pem) => {
    expect(findings(v114({ caBundle: base64(pem) }))).toEqual([]);
  });
});
