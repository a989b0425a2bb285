/** Appends one reference token to a JSON pointer, escaped as RFC 6901 section 3 says. */
export function pointerTo(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}/${key}`;
  if (!key.includes('~') && !key.includes('/')) return `${path}/${key}`;
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
