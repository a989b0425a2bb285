/** A text in UTF-8, with its base64 and the number of its bytes before that. */
export interface EncodedText {
  readonly text: string;
  readonly base64: string;
  readonly bytes: number;
}

export function encodeBase64(text: string): EncodedText {
  const bytes = Buffer.byteLength(text);
  // btoa takes a character for a byte, which ASCII allows and which saves a copy.
  return { text, base64: bytes === text.length ? btoa(text) : Buffer.from(text, 'utf8').toString('base64'), bytes };
}

/**
 * Decodes standard base64 (RFC 4648 section 4) with its padding into a string with one character a byte, or
 * returns `undefined` for anything else. White space is refused unless it is allowed, as `base64 -d` and PEM do.
 */
export function decodeBase64(text: string, whiteSpace: 'refused' | 'allowed' = 'refused'): string | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    // Not base64: atob has no other reason to throw.
    return undefined;
  }
  // atob forgives padding that is missing altogether, and white space: the first shows at the end, the second in
  // the length.
  const isPadded = binary.length % 3 === 0 || text.trimEnd().endsWith('=');
  return isPadded && (whiteSpace === 'allowed' || text.length === encodedLength(binary.length)) ? binary : undefined;
}

/** Characters of base64 with padding that a number of bytes has. */
export function encodedLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

export function withoutWhiteSpace(text: string): string {
  // Looking for each character is many times faster than the expression, and mostly finds none.
  if (
    !text.includes('\n') &&
    !text.includes(' ') &&
    !text.includes('\r') &&
    !text.includes('\t') &&
    !text.includes('\f')
  )
    return text;
  return text.replaceAll(/[\t\n\f\r ]+/g, '');
}

export function isBase64(text: string): boolean {
  return decodeBase64(text) !== undefined;
}
