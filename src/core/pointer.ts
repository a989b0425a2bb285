/** Appends one reference token to a JSON pointer, escaped as RFC 6901 section 3 says. */
export function pointerTo(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}/${key}`;
  if (!key.includes('~') && !key.includes('/')) return `${path}/${key}`;
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The reference tokens of a JSON pointer, unescaped. */
export function tokensOf(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer without its last token. That of the whole document is its own parent. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
