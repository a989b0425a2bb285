import { spawnSync } from 'node:child_process';

const CHECKS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  openssl: ['openssl', 'version'],
  shellcheck: ['shellcheck', '--version'],
  root: ['sh', '-c', 'test "$(id -u)" = 0'],
  // A network of its own, in which the rules of both forms can be tried.
  'network namespace': [
    'unshare',
    '--net',
    '--map-root-user',
    'sh',
    '-c',
    'nft list tables && iptables-save -t nat && ip link set lo up',
  ],
  // A mount namespace of its own, in which the fixed paths of a node can be made without touching the machine.
  'mount namespace': ['unshare', '--mount', '--map-root-user', 'mount', '-t', 'tmpfs', 'tmpfs', '/opt'],
};

/**
 * Whether the machine has what a test needs. Without it the test is skipped, but where BOOTLACE_REQUIRE_ALL is
 * set it fails: a run that guards the main branch must not leave anything out.
 */
export function needs(what: keyof typeof CHECKS): boolean {
  const [command, ...args] = CHECKS[what]!;
  const isThere = spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  if (!isThere && process.env['BOOTLACE_REQUIRE_ALL'])
    throw new Error(`this machine has no ${what}, and nothing may be skipped here`);
  return isThere;
}
