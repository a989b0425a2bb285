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
  // atob forgives missing padding and white space, both of which show in the length.
  const length = Math.ceil(binary.length / 3) * 4;
  // With the right length and all of its padding, no character is left that could be white space.
  if (text.length === length && text.endsWith(PADDING[binary.length % 3]!)) return binary;
  return whiteSpace === 'allowed' && withoutWhiteSpace(text).length === length ? binary : undefined;
}

/** The padding that a number of bytes has, by its remainder of three. */
const PADDING = ['', '==', '='];

export function withoutWhiteSpace(text: string): string {
  return text.replaceAll(/[\t\n\f\r ]+/g, '');
}

export function isBase64(text: string): boolean {
  return decodeBase64(text) !== undefined;
}
