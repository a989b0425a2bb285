import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

// What a cluster has and a computer may have of its own. Each is compared with what it was before.
const FOLDERS = [
  '/etc/kubernetes',
  '/etc/cni',
  '/etc/containerd',
  '/etc/bench',
  '/var/lib/kubelet',
  '/var/lib/etcd',
  '/var/lib/cni',
  '/var/lib/containerd',
  '/var/log/pods',
  '/var/log/containers',
  '/opt',
  '/run',
  '/run/netns',
];
const SETTINGS = [
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
  'kernel/hostname',
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'net/ipv4/ip_forward',
  'net/ipv4/conf/all/route_localnet',
  'net/ipv6/conf/all/forwarding',
  'net/netfilter/nf_conntrack_max',
];
const PROGRAMS = /^(?:containerd|kube|etcd|haproxy|unshare|nsenter|pause|lan\.sh|node\.sh|bash \S*machines)/;

/** Everything of this computer that a bench could have changed. */
export function computerState(): Record<string, unknown> {
  return {
    links: lines('ip', '-o', 'link').map((line) => line.split(': ')[1]),
    addresses: lines('ip', '-o', 'address').map((line) => line.replace(/valid_lft.*/, '')),
    routes: lines('ip', 'route'),
    namespaces: lines('ip', 'netns', 'list'),
    mounts: readFileSync('/proc/self/mounts', 'utf8').split('\n'),
    firewall: lines('nft', '--stateless', 'list', 'ruleset'),
    cgroups: readdirSync('/sys/fs/cgroup').flatMap((folder) =>
      [`/sys/fs/cgroup/${folder}`]
        .filter(existsSync)
        .flatMap((path) => folders(path).filter((name) => name.startsWith('bootlace-'))),
    ),
    folders: Object.fromEntries(FOLDERS.map((path) => [path, existsSync(path) ? readdirSync(path) : undefined])),
    settings: Object.fromEntries(SETTINGS.map((name) => [name, read(`/proc/sys/${name}`)])),
    processes: processes(),
  };
}

function lines(program: string, ...args: string[]): string[] {
  return spawnSync(program, args, { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .map((line) => line.trimEnd());
}

function folders(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Programs of clusters that run, by name; how many of each there are is part of it. */
function processes(): string[] {
  const names = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => read2(`/proc/${id}/cmdline`).replaceAll('\0', ' '));
  return names
    .map((name) => name.replace(/^\S*\//, ''))
    .filter((name) => PROGRAMS.test(name))
    .map((name) => name.split(' ')[0]!)
    .toSorted();
}

function read2(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended since.
    return '';
  }
}
