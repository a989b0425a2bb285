import { isIPv6 } from 'node:net';

/** An IP address in the one form that equal addresses share. Anything else comes back as it is. */
export function canonicalAddress(text: string): string {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (!isIPv6(bare) || bare.includes('%')) return bare;
  return new URL(`http://[${bare}]`).hostname.slice(1, -1);
}

/** Whether a server that is bound to the address takes connections on every address. */
export function isUnspecified(address: string): boolean {
  return ['', '0.0.0.0', '::'].includes(canonicalAddress(address));
}

export function isLoopback(address: string): boolean {
  const canonical = canonicalAddress(address);
  return canonical === 'localhost' || canonical === '::1' || canonical.startsWith('127.');
}

/**
 * The loopback address on which a server that is bound to `address` answers, if there is one. Go binds both IP
 * families for either unspecified address, so that 127.0.0.1 answers on a node with IPv6 alone as well, where
 * `::1` may be switched off.
 */
export function loopbackOf(address: string): string | undefined {
  if (isUnspecified(address)) return '127.0.0.1';
  return isLoopback(address) ? address : undefined;
}
