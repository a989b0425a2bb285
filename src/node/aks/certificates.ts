import type { X509Certificate } from 'node:crypto';
import { type Problem, ProblemList } from '../../core/problem.ts';
import { escapeControls } from '../../core/redact.ts';
import type { Settings } from '../bootstrapper.ts';

const PATH = '/caBundle';

/** Parses the certificates of the CA bundle, and reports expired ones and ones that may not sign. */
export function checkCertificates(
  certificates: readonly string[],
  { lenient = false, source, now }: Settings,
): readonly Problem[] {
  const problems = new ProblemList(lenient, source);
  // Loaded here and not above: rendering needs no cryptography, and loading it takes longer than rendering.
  const crypto = process.getBuiltinModule('node:crypto');
  for (const [index, base64] of certificates.entries()) {
    const name = `Certificate ${index + 1} of ${certificates.length}`;
    let certificate: X509Certificate;
    try {
      certificate = new crypto.X509Certificate(Buffer.from(base64, 'base64'));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.refuse(
        'BUNDLE_INVALID',
        PATH,
        `${name} is no X.509 certificate: ${reason}.`,
        'Take the certificate from its source again.',
      );
      continue;
    }
    checkCertificate(certificate, name, now, problems);
  }
  return problems.sorted();
}

function checkCertificate(
  certificate: X509Certificate,
  name: string,
  now: Date | undefined,
  problems: ProblemList,
): void {
  const subject = escapeControls(certificate.subject.replaceAll('\n', ', '));
  if (!certificate.ca) {
    problems.warn(
      'BUNDLE_NOT_A_CA',
      PATH,
      `${name} (${subject}) is no certificate authority, so that nothing it signed is trusted.`,
      "Use the cluster's CA certificate, not the API server's own.",
    );
  }
  if (now === undefined) return;
  if (certificate.validToDate.getTime() < now.getTime()) {
    problems.warn(
      'BUNDLE_EXPIRED',
      PATH,
      `${name} (${subject}) expired on ${day(certificate.validToDate)}.`,
      'Take the current certificate of the cluster.',
    );
  } else if (certificate.validFromDate.getTime() > now.getTime()) {
    problems.warn(
      'BUNDLE_EXPIRED',
      PATH,
      `${name} (${subject}) is not valid before ${day(certificate.validFromDate)}.`,
      'Check the clock of this machine and of the node.',
    );
  }
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
