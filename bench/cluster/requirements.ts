import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { attempt } from './commands.ts';

/** Programs that a bench needs, and the Debian package of each. */
const PACKAGES: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  runc: 'runc',
  '/usr/lib/cni/ptp': 'containernetworking-plugins',
  iptables: 'iptables',
  nft: 'nftables',
  conntrack: 'conntrack',
  ip: 'iproute2',
  ethtool: 'ethtool',
  socat: 'socat',
  haproxy: 'haproxy',
  busybox: 'busybox-static',
  nsenter: 'util-linux',
  tar: 'tar',
};

/** What a bench asks of this computer, each as one line for a person. Empty when it can run. */
export async function missingFor(what: 'build' | 'cluster'): Promise<string[]> {
  const missing: string[] = [];
  if (process.platform !== 'linux') missing.push(`Linux is needed, and this is ${process.platform}`);
  if (!(await onPath('go'))) missing.push('Go is needed, and there is no command `go`');
  if (what === 'build' || process.platform !== 'linux') return missing;
  if (process.getuid?.() !== 0) missing.push('root is needed, for namespaces and mounts');
  const packages = [];
  for (const [program, name] of Object.entries(PACKAGES)) {
    if (!(await (program.startsWith('/') ? isProgram(program) : onPath(program)))) packages.push(name);
  }
  if (!packages.includes('busybox-static') && !(await isStatic('/usr/bin/busybox'))) packages.push('busybox-static');
  if (packages.length > 0) missing.push(`packages are missing: apt-get install -y ${packages.join(' ')}`);
  return missing;
}

/** The file system of a folder, such as ext4. */
export async function fileSystemOf(folder: string): Promise<string> {
  return (await attempt(['stat', '--file-system', '--format=%T', folder])).stdout.trim();
}

async function onPath(program: string): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const folder of folders) if (await isProgram(join(folder, program))) return true;
  return false;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// The package busybox has the command too, linked to libraries that an image of one file lacks.
async function isStatic(path: string): Promise<boolean> {
  return (await isProgram(path)) && (await attempt(['ldd', path])).status !== 0;
}
