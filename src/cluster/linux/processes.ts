import { readdir, readFile, readlink } from 'node:fs/promises';
import { systemCode } from '../kubernetes/load.ts';
import type { HostListener, HostProcess } from '../host.ts';
import { argvOf, bootOf, containerOf, listeningIn, startOf, type ListeningSocket } from './proc.ts';

/** Programs that are part of a control plane. */
const PROGRAMS: ReadonlySet<string> = new Set(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd']);

/**
 * Processes of a control plane that run in the network of this node, in the order of their IDs: what other containers here
 * may run is none of its.
 */
export async function processesIn(proc: string): Promise<readonly HostProcess[]> {
  const boot = bootOf(await readFile(`${proc}/stat`, 'latin1'));
  const network = await readlink(`${proc}/self/ns/net`);
  const found = await Promise.all(
    (await pidsIn(proc)).map((pid) =>
      unlessUnseen(async (): Promise<HostProcess | undefined> => {
        const argv = argvOf(await readFile(`${proc}/${pid}/cmdline`, 'utf8'));
        if (!PROGRAMS.has(nameOf(argv)) || (await readlink(`${proc}/${pid}/ns/net`)) !== network) return undefined;
        const stat = await readFile(`${proc}/${pid}/stat`, 'latin1');
        const container = containerOf(await readFile(`${proc}/${pid}/cgroup`, 'latin1'));
        return { pid, argv, startedAt: boot + startOf(stat), ...(container !== undefined && { container }) };
      }),
    ),
  );
  return found.filter((process) => process !== undefined);
}

/** Names of programs that run now, sorted, and each once. */
export async function programsIn(proc: string): Promise<readonly string[]> {
  const names = await Promise.all(
    (await pidsIn(proc)).map((pid) =>
      unlessUnseen(async () => nameOf(argvOf(await readFile(`${proc}/${pid}/cmdline`, 'utf8')))),
    ),
  );
  const known = names.filter((name) => name !== undefined && name !== '');
  return [...new Set(known as string[])].toSorted();
}

/** Ports on which something of this network listens, in the order of port and process. */
export async function listenersIn(proc: string): Promise<readonly HostListener[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`${proc}/net/${name}`, 'latin1').catch(onlyMissing)),
  );
  const sockets = new Map(tables.flatMap((table) => listeningIn(table)).map((socket) => [socket.inode, socket]));
  const found = await Promise.all((await pidsIn(proc)).map((pid) => unlessUnseen(() => socketsOf(proc, pid, sockets))));
  const owned = found.flatMap((one) => one ?? []);
  const known = new Set(owned.map(({ inode }) => inode));
  const strange = [...sockets.values()].filter(({ inode }) => !known.has(inode));
  return [...owned, ...strange.map((socket) => ({ ...socket, pid: 0 }))]
    .map(({ address, port, pid }) => ({ address, port, pid }))
    .toSorted((a, b) => a.port - b.port || a.pid - b.pid);
}

/** Without IPv6 there is no table of it. */
function onlyMissing(error: unknown): string {
  if (systemCode(error) === 'ENOENT') return '';
  throw error;
}

async function socketsOf(
  proc: string,
  pid: number,
  sockets: ReadonlyMap<string, ListeningSocket>,
): Promise<readonly (HostListener & ListeningSocket)[]> {
  const inodes = new Set<string>();
  for (const name of await readdir(`${proc}/${pid}/fd`)) {
    const target = await unlessUnseen(() => readlink(`${proc}/${pid}/fd/${name}`));
    const inode = /^socket:\[(\d+)\]$/.exec(target ?? '')?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  return [...inodes].flatMap((inode) => {
    const socket = sockets.get(inode);
    return socket ? [{ ...socket, pid }] : [];
  });
}

async function pidsIn(proc: string): Promise<readonly number[]> {
  const names = await readdir(proc);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b);
}

function nameOf([path = '']: readonly string[]): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** It has ended, or may not be looked into, as in a container with users of its own. */
const UNSEEN: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

async function unlessUnseen<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (UNSEEN.has(systemCode(error))) return undefined;
    throw error;
  }
}
