import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../../../test/support/needs.ts';
import { CA_BUNDLE, findings, LENIENT, problemAt, v114 } from '../../../test/support/options.ts';
import { render } from '../render.ts';

const PEM = Buffer.from(CA_BUNDLE, 'base64').toString('utf8');

function at(day: string): { now: Date } {
  return { now: new Date(`${day}T00:00:00Z`) };
}

// The certificate of the test data is valid from 2026-11-30 to 2036-11-27.
describe('the time for which the bundle is looked at', () => {
  test('a valid certificate is fine', () => {
    expect(findings(v114(), at('2027-01-01'))).toEqual([]);
  });

  test('an expired one is a warning with the day on which it expired', () => {
    const problem = problemAt('/caBundle', v114(), at('2037-01-01'));
    expect(problem).toMatchObject({ severity: 'warning', code: 'BUNDLE_EXPIRED' });
    expect(problem.message).toContain('2036-11-27');
  });

  test('one that is not valid yet is a warning with the day from which it is', () => {
    const problem = problemAt('/caBundle', v114(), at('2026-01-01'));
    expect(problem).toMatchObject({ severity: 'warning', code: 'BUNDLE_EXPIRED' });
    expect(problem.message).toContain('2026-11-30');
  });

  test('is not looked at when none is given', () => {
    expect(findings(v114())).toEqual([]);
  });
});

describe('what only a parser finds', () => {
  // A whole SEQUENCE by its outer length, and no certificate inside.
  const caBundle = '-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n';

  test('is refused by check', () => {
    expect(findings(v114({ caBundle }))).toEqual(['error BUNDLE_INVALID /caBundle']);
    expect(findings(v114({ caBundle }), LENIENT)).toEqual(['warning BUNDLE_INVALID /caBundle']);
  });

  test('is left to check by render, which must be fast', () => {
    expect(render(v114({ caBundle })).problems).toEqual([]);
  });

  test('is reported with the number of the certificate', () => {
    expect(problemAt('/caBundle', v114({ caBundle: PEM + caBundle })).message).toContain('Certificate 2 of 2');
  });
});

describe.skipIf(!needs('openssl'))('other certificates', () => {
  let folder: string;
  const made = new Map<string, string>();

  function selfSigned(name: string, ...options: string[]): void {
    const path = join(folder, name);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${path}.key`];
    execFileSync('openssl', ['req', '-x509', ...key, '-out', `${path}.crt`, '-days', '36500', ...options], {
      stdio: 'pipe',
    });
    made.set(name, readFileSync(`${path}.crt`, 'utf8'));
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bootlace-certificates-'));
    selfSigned('leaf', '-subj', '/CN=kube-apiserver', '-addext', 'basicConstraints=critical,CA:FALSE');
    selfSigned('ca', '-subj', '/CN=kubernetes', '-addext', 'basicConstraints=critical,CA:TRUE');
    selfSigned('odd', '-utf8', '-subj', '/CN=a\u001b[31m\u202eb', '-addext', 'basicConstraints=critical,CA:FALSE');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('one that is no CA is a warning with its subject', () => {
    const problem = problemAt('/caBundle', v114({ caBundle: made.get('leaf') }));
    expect(problem).toMatchObject({ severity: 'warning', code: 'BUNDLE_NOT_A_CA' });
    expect(problem.message).toContain('CN=kube-apiserver');
  });

  test('another CA is fine', () => {
    expect(findings(v114({ caBundle: made.get('ca') }))).toEqual([]);
  });

  test('each certificate of a bundle is looked at', () => {
    const caBundle = PEM + made.get('leaf')! + made.get('ca')!;
    expect(problemAt('/caBundle', v114({ caBundle })).message).toContain('Certificate 2 of 3');
  });

  test('the key that belongs to it is refused before anything is parsed', () => {
    const caBundle = made.get('ca')! + readFileSync(join(folder, 'ca.key'), 'utf8');
    expect(findings(v114({ caBundle }))).toEqual(['error BUNDLE_PRIVATE_KEY /caBundle']);
  });

  test('a subject that would act on a terminal is escaped', () => {
    const { message } = problemAt('/caBundle', v114({ caBundle: made.get('odd') }));
    expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});
