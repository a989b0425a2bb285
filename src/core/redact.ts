/** What stands in the place of a secret. */
export const REDACTED = '[secret]';

// A bootstrap token that strayed into another field is still a token. The look-arounds keep version
// numbers and host names whole: a token's halves are exactly 6 and 16 long.
const BOOTSTRAP_TOKEN = /(?<![a-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}(?![a-z0-9])/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const URL_PASSWORD = /(:\/\/[^/\s:@]*):[^/\s@]+@/g;

/** Takes what has the form of a secret out of a text that is about to be shown. */
export function redact(text: string): string {
  if (!text.includes('.') && !text.includes('-----BEGIN') && !text.includes('://')) return text;
  return text
    .replace(BOOTSTRAP_TOKEN, REDACTED)
    .replace(PRIVATE_KEY, REDACTED)
    .replace(URL_PASSWORD, `$1:${REDACTED}@`);
}

const SHOWN_LENGTH = 60;

/**
 * A received value as it may stand in a message: JSON, cut to a readable length, control characters and
 * everything that a terminal could act on escaped, and without anything that looks like a secret.
 */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

/** A string in double quotes, as {@link shown} shows it. */
export function quoted(text: string): string {
  // Redacted before it is cut: half a token is no token to the pattern, and still half a secret.
  const safe = redact(text);
  const cut = safe.length > SHOWN_LENGTH ? `${safe.slice(0, SHOWN_LENGTH)}…` : safe;
  return escapeControls(JSON.stringify(cut));
}

/** Escapes what a terminal acts on or hides: C0 and C1 controls, bidirectional marks, line separators. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
