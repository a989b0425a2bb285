import type { ProblemList } from '../../core/problem.ts';
import { decodeBase64, withoutWhiteSpace } from '../../format/base64.ts';

const PATH = '/caBundle';
const HINT = 'Write the output of `base64 -w0 ca.crt`, or the PEM text itself.';

/**
 * The bundle as the node wants it, base64 of PEM without line breaks. Lenient passes the text on as it is, as
 * Go does.
 */
export function encodeBundle(bundle: string, lenient: boolean): string {
  if (lenient) return bundle;
  if (isRawPem(bundle)) return Buffer.from(trimmedPem(bundle), 'utf8').toString('base64');
  return withoutWhiteSpace(bundle);
}

/**
 * Finds the certificates of a bundle, and reports what is none by armour, base64 and outer DER length: enough
 * to know that the kubelet will read them, and cheap enough for every render.
 *
 * @returns the certificates in base64, possibly with white space.
 */
export function checkBundle(bundle: string, problems: ProblemList): readonly string[] {
  if (bundle.trim() === '') {
    problems.refuse(
      'BUNDLE_INVALID',
      PATH,
      'The CA bundle is empty: the node cannot tell the API server from another.',
      HINT,
    );
    return [];
  }
  if (isRawPem(bundle)) return checkPem(trimmedPem(bundle), problems);
  const pem = decodeBase64(bundle, 'allowed');
  if (pem === undefined) {
    problems.refuse(
      'BUNDLE_INVALID',
      PATH,
      `The CA bundle (${bundle.length} characters) is neither base64 nor PEM.`,
      HINT,
    );
    return [];
  }
  return checkPem(pem, problems);
}

function checkPem(pem: string, problems: ProblemList): readonly string[] {
  if (pem.includes('PRIVATE KEY-----')) {
    problems.refuse(
      'BUNDLE_PRIVATE_KEY',
      PATH,
      'The CA bundle carries a private key: everybody who can read the custom data of a node would have it.',
      'Keep the CERTIFICATE blocks alone, and replace the key: it has been copied.',
    );
    return [];
  }
  const blocks = pemBlocks(pem);
  if (blocks === undefined || blocks.length === 0) {
    if (blocks !== undefined && isDoubleEncoded(pem)) {
      problems.refuse(
        'BUNDLE_DOUBLE_ENCODED',
        PATH,
        'The CA bundle is encoded twice: its base64 decodes to base64.',
        'Decode it once. A value from a kubeconfig or a Secret is base64 already.',
      );
    } else {
      const what =
        blocks === undefined
          ? 'has a PEM block that Go cannot see: BEGIN and END must each stand alone on a line, without indentation'
          : 'holds no PEM certificate';
      problems.refuse('BUNDLE_INVALID', PATH, `The CA bundle ${what}.`, HINT);
    }
    return [];
  }
  const certificates: string[] = [];
  for (const [index, { label, body }] of blocks.entries()) {
    const der = decodeBase64(body, 'allowed');
    if (label !== 'CERTIFICATE') {
      problems.refuse(
        'BUNDLE_INVALID',
        PATH,
        `PEM block ${index + 1} of ${blocks.length} is no CERTIFICATE, so that the kubelet skips it.`,
        'Keep the CERTIFICATE blocks alone.',
      );
    } else if (der === undefined || !isWholeSequence(der)) {
      problems.refuse(
        'BUNDLE_INVALID',
        PATH,
        `PEM block ${index + 1} of ${blocks.length} is damaged: its content is no whole DER structure.`,
        'Take the certificate from its source again.',
      );
    } else certificates.push(body);
  }
  return certificates;
}

function isRawPem(bundle: string): boolean {
  return bundle.includes(BEGIN);
}

// Blanks around the whole are an accident of YAML; within it every line counts.
function trimmedPem(bundle: string): string {
  return `${bundle.trim()}\n`;
}

interface PemBlock {
  readonly label: string;
  readonly body: string;
}

const BEGIN = '-----BEGIN ';

/**
 * The blocks of a PEM text as Go finds them: armour stands on lines of its own, from their first character on. Text
 * between blocks is a comment. `undefined` where an armour is none that Go would see, since it skips that block
 * without a word.
 */
function pemBlocks(pem: string): readonly PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  let position = 0;
  for (let begin = pem.indexOf(BEGIN); begin >= 0; begin = pem.indexOf(BEGIN, position)) {
    const labelEnd = pem.indexOf('-----', begin + BEGIN.length);
    const bodyStart = lineEnd(pem, labelEnd + 5);
    if ((begin > 0 && pem[begin - 1] !== '\n') || labelEnd < 0 || bodyStart === undefined) return undefined;
    const label = pem.slice(begin + BEGIN.length, labelEnd);
    const armour = `\n-----END ${label}-----`;
    const end = pem.indexOf(armour, bodyStart - 1);
    const next = pem.indexOf(BEGIN, bodyStart);
    const blockEnd = end < 0 ? undefined : lineEnd(pem, end + armour.length);
    if (blockEnd === undefined || (next >= 0 && next < end)) return undefined;
    blocks.push({ label, body: pem.slice(bodyStart, end + 1) });
    position = blockEnd;
  }
  return blocks;
}

/** Where the next line begins when only blanks are left on this one, or the end of the text. */
function lineEnd(text: string, from: number): number | undefined {
  let index = from;
  while (text[index] === ' ' || text[index] === '\t' || text[index] === '\r') index += 1;
  if (index === text.length) return index;
  return text[index] === '\n' ? index + 1 : undefined;
}

/** What is wrong with base64 of certificates that a node shall trust, or `undefined`. */
export function trustedCertificatesFault(base64: string): 'private key' | 'no certificate' | undefined {
  const pem = decodeBase64(base64) ?? '';
  if (pem.includes('PRIVATE KEY-----')) return 'private key';
  const blocks = pemBlocks(pem) ?? [];
  return blocks.length > 0 && blocks.every(({ label }) => label === 'CERTIFICATE') ? undefined : 'no certificate';
}

function isDoubleEncoded(text: string): boolean {
  return decodeBase64(text, 'allowed')?.includes(BEGIN) ?? false;
}

/** Whether DER, one character a byte, is one SEQUENCE whose outer length is that of the whole. */
function isWholeSequence(der: string): boolean {
  if (der.charCodeAt(0) !== 0x30) return false;
  const first = der.charCodeAt(1);
  if (first < 0x80) return der.length === first + 2;
  const lengthBytes = first & 0x7f;
  if (lengthBytes === 0 || lengthBytes > 4) return false;
  let length = 0;
  for (let index = 0; index < lengthBytes; index++) length = length * 256 + der.charCodeAt(2 + index);
  return der.length === 2 + lengthBytes + length;
}
