import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { Bench } from '../../bench/cluster/bench.ts';

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
  '/run/containerd',
  '/run/netns',
  '/run/stopped',
  '/run/sysctl',
  '/root/.kube',
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
// A process of another bench that is about to join its cgroup is none of them yet.
const PROGRAMS = /^(?:containerd|kube|etcd|haproxy|unshare|nsenter|pause|bash \S*machines\/(?:lan|node)\.sh)/;

/** Everything of this computer that a bench could have changed, but for what belongs to other benches. */
export function computerState(bench: Pick<Bench, 'cgroup'>): Record<string, unknown> {
  return {
    links: lines('ip', '-o', 'link').map((line) => line.split(': ')[1]),
    addresses: lines('ip', '-o', 'address').map((line) => line.replace(/valid_lft.*/, '')),
    routes: lines('ip', 'route'),
    namespaces: lines('ip', 'netns', 'list'),
    mounts: readFileSync('/proc/self/mounts', 'utf8').split('\n'),
    firewall: lines('nft', '--stateless', 'list', 'ruleset'),
    cgroups: ['/sys/fs/cgroup', ...folders('/sys/fs/cgroup').map((name) => `/sys/fs/cgroup/${name}`)].flatMap((path) =>
      folders(path).filter((name) => name.startsWith(bench.cgroup)),
    ),
    folders: Object.fromEntries(FOLDERS.map((path) => [path, existsSync(path) ? readdirSync(path) : undefined])),
    settings: Object.fromEntries(SETTINGS.map((name) => [name, read(`/proc/sys/${name}`)])),
    processes: processes(bench),
  };
}

function lines(program: string, ...args: string[]): string[] {
  return spawnSync(program, args, { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .map((line) => line.trimEnd());
}

function folders(path: string): string[] {
  return existsSync(path) && statSync(path).isDirectory() ? readdirSync(path) : [];
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It is not there, or it was a process that has ended since.
    return undefined;
  }
}

/** Programs of clusters that run, by name; how many of each there are is part of it. */
function processes({ cgroup }: Pick<Bench, 'cgroup'>): string[] {
  return folders('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => (/\/(bootlace-[0-9a-f]{8})/.exec(read(`/proc/${id}/cgroup`) ?? '')?.[1] ?? cgroup) === cgroup)
    .map((id) => (read(`/proc/${id}/cmdline`) ?? '').replaceAll('\0', ' ').replace(/^\S*\//, ''))
    .filter((command) => PROGRAMS.test(command))
    .map((command) => command.split(' ')[0]!)
    .toSorted();
}
