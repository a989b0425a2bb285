/** What stands in the place of a secret. */
export const REDACTED = '[secret]';

// A bootstrap token that strayed into another field is still a token. The look-arounds keep version
// numbers and host names whole: a token's halves are exactly 6 and 16 long.
const BOOTSTRAP_TOKEN = /(?<=^|[^a-z0-9]|\u001b\[[0-9;]*[a-z])[a-z0-9]{6}\.[a-z0-9]{16}(?![a-z0-9])/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** Takes what has the form of a secret out of a text that is about to be shown. */
export function redact(text: string): string {
  if (!text.includes('.') && !text.includes('-----BEGIN') && !text.includes('://')) return text;
  const visible = text.replace(BOOTSTRAP_TOKEN, REDACTED).replace(PRIVATE_KEY, REDACTED);
  return visible.includes('://') && visible.includes('@')
    ? visible.split('\n').map(withoutPassword).join('\n')
    : visible;
}

// From the first colon behind the scheme to the last at sign of the line: a password that nobody encoded may
// hold any character, and showing too little of a URL does no harm.
function withoutPassword(line: string): string {
  const scheme = line.indexOf('://');
  const colon = scheme < 0 ? -1 : line.indexOf(':', scheme + 3);
  const at = line.lastIndexOf('@');
  // Behind a host it is a port.
  if (/^:\d{1,5}(?:[/?#\s]|$)/.test(line.slice(colon, colon + 8))) return line;
  return colon >= 0 && colon < at ? `${line.slice(0, colon + 1)}${REDACTED}${line.slice(at)}` : line;
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

/** One character as a message shows it: in quotes, or by its number where it is none that can be seen. */
export function shownCharacter(character: string): string {
  const isVisible = /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(character);
  const code = character.codePointAt(0) ?? 0;
  return isVisible ? `"${character}"` : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Escapes what a terminal acts on or hides: C0 and C1 controls, bidirectional marks, line separators. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What an error says, fit for a log. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? escapeControls(redact(error.message)) : 'no reason given';
}
