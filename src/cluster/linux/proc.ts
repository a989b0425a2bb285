import type { Endpoint } from '../host.ts';

/** Ticks of a second in /proc, on every architecture that Linux gives to programs. */
const TICKS = 100;

/** What the texts of /proc say. */

/** The arguments of a process; none for one of the kernel, or one that has ended. */
export function argvOf(cmdline: string): readonly string[] {
  return cmdline === '' ? [] : cmdline.replace(/\0$/, '').split('\0');
}

/** When a process began, in milliseconds after the boot, by /proc/PID/stat. */
export function startOf(stat: string): number {
  // The name is in brackets, and may have brackets and spaces itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[19]) * 1000) / TICKS;
}

/** When the node was booted, in milliseconds since 1970, by /proc/stat. */
export function bootOf(stat: string): number {
  return Number(/^btime (\d+)$/m.exec(stat)?.[1]) * 1000;
}

/**
 * ID of the container of a process, by /proc/PID/cgroup: the last part of its path, as containerd and CRI-O name it with
 * either driver; nothing for a process that no runtime started.
 */
export function containerOf(cgroup: string): string | undefined {
  return /(?:^|[-:/])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/m.exec(cgroup)?.[1];
}

/** A socket that waits for connections. */
export interface ListeningSocket extends Endpoint {
  readonly inode: string;
}

const LISTEN = '0A';

/** The sockets of /proc/net/tcp and /proc/net/tcp6 that wait for connections. */
export function listeningIn(table: string): readonly ListeningSocket[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === LISTEN ? [{ address: addressOf(address), port: Number.parseInt(port, 16), inode }] : [];
    });
}

/** An address as /proc has it: words of four bytes, each with its last byte first. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => word.match(/../g)!.toReversed());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  const groups = bytes.flatMap((byte, at) => (at % 2 === 0 ? `${byte}${bytes[at + 1]}` : []));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** What programs may have without that others are swapped out, in bytes, by /proc/meminfo. */
export function memoryAvailableIn(meminfo: string): number {
  return Number(/^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1]) * 1024;
}

/** By /proc/sys/net/ipv4/ip_local_port_range. */
export function portsIn(range: string): { readonly from: number; readonly to: number } {
  const [from, to] = range.trim().split(/\s+/).map(Number);
  return { from: from!, to: to! };
}
