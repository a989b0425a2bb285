import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from './errors.ts';

/** A mounted hierarchy of cgroups. */
export interface Hierarchy {
  readonly path: string;
  readonly version: 1 | 2;
  /** Controllers of version 1, such as cpu or name=systemd. */
  readonly controllers: readonly string[];
}

/** Reads /proc/self/mountinfo. A version 2 hierarchy beside version 1 has no controllers, and counts all the same. */
export function parseHierarchies(mountinfo: string): Hierarchy[] {
  const found = new Map<string, Hierarchy>();
  for (const line of mountinfo.split('\n')) {
    const [mount, source] = line.split(' - ');
    const path = mount?.split(' ')[4];
    const [type, , options] = source?.split(' ') ?? [];
    if (path === undefined || (type !== 'cgroup' && type !== 'cgroup2')) continue;
    const settings = new Set(['rw', 'ro', 'xattr', 'nsdelegate', 'memory_recursiveprot', 'clone_children']);
    const controllers = (options ?? '')
      .split(',')
      .filter((one) => !settings.has(one) && !one.startsWith('release_agent'));
    const key = type === 'cgroup2' ? 'unified' : controllers.join(',');
    if (!found.has(key))
      found.set(key, { path, version: type === 'cgroup2' ? 2 : 1, controllers: type === 'cgroup2' ? [] : controllers });
  }
  return [...found.values()];
}

export async function readHierarchies(): Promise<Hierarchy[]> {
  const hierarchies = parseHierarchies(await readFile('/proc/self/mountinfo', 'utf8'));
  if (hierarchies.length > 0) return hierarchies;
  throw new BenchError('no cgroups are mounted', { hint: 'Nodes need the cgroup file system, in version 1 or 2.' });
}

/** Makes a cgroup in every hierarchy, and returns its folders. */
export async function makeCgroup(name: string): Promise<string[]> {
  const hierarchies = await readHierarchies();
  const only2 = hierarchies.every(({ version }) => version === 2);
  const folders: string[] = [];
  for (const { path, controllers } of hierarchies) {
    let folder = path;
    for (const part of name.split('/')) {
      if (only2) await handOnControllers(folder);
      const parent = folder;
      folder = join(folder, part);
      await mkdir(folder, { recursive: true });
      if (!controllers.includes('cpuset')) continue;
      // A new cpuset is empty, and no process can enter it then.
      for (const file of ['cpuset.cpus', 'cpuset.mems'])
        await writeFile(join(folder, file), await readFile(join(parent, file)));
    }
    folders.push(folder);
  }
  return folders;
}

// What a kubelet asks for, of which a computer may lack some.
const CONTROLLERS = ['cpu', 'cpuset', 'hugetlb', 'io', 'memory', 'pids'];

/** In version 2, lets the cgroups below one have its controllers. What is on already stays as it is. */
async function handOnControllers(folder: string): Promise<void> {
  const words = async (file: string): Promise<string[]> =>
    (await readFile(join(folder, file), 'utf8')).trim().split(' ');
  const [available, on] = [await words('cgroup.controllers'), await words('cgroup.subtree_control')];
  const missing = CONTROLLERS.filter((one) => available.includes(one) && !on.includes(one));
  if (missing.length === 0) return;
  try {
    await writeFile(join(folder, 'cgroup.subtree_control'), missing.map((one) => `+${one}`).join(' '));
  } catch (cause) {
    throw new BenchError(`cannot turn on ${missing.join(', ')} for the cgroups below ${folder}`, { cause });
  }
}

const JOIN = join(import.meta.dirname, 'machines/join-cgroups.sh');

/** The command that runs a command in cgroups, by their folders. */
export function joining(folders: readonly string[], command: readonly string[]): string[] {
  return [JOIN, ...folders, '--', ...command];
}

/** Every process in a cgroup and below, as this process numbers them. */
export async function processesIn(name: string): Promise<number[]> {
  const found = new Set<number>();
  for (const { path } of await readHierarchies()) {
    for (const folder of await tree(join(path, name))) {
      for (const line of (await quietly(readFile(join(folder, 'cgroup.procs'), 'utf8')))?.split('\n') ?? []) {
        if (line !== '' && line !== '0') found.add(Number(line));
      }
    }
  }
  return [...found];
}

/** Kills every process in a cgroup and below, waits for their ends, and removes the cgroups. */
export async function removeCgroup(name: string): Promise<void> {
  await emptyCgroup(name);
  for (const { path } of await readHierarchies()) {
    // Dead processes leave their cgroup a moment after they are gone from the list.
    for (let tries = 0; ; tries += 1) {
      const folders = await tree(join(path, name));
      if (folders.length === 0) break;
      for (const folder of folders.toReversed()) await quietly(rmdir(folder));
      if (tries === 100) throw new BenchError(`cannot remove the cgroup ${join(path, name)}`);
      if (tries > 0) await sleep(50);
    }
  }
}

/** Kills every process in a cgroup and below, and waits for their ends. */
async function emptyCgroup(name: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const processes = await processesIn(name);
    if (processes.length === 0) return;
    if (tries === 200) throw new BenchError(`processes ${processes.join(', ')} do not end`);
    for (const process_ of processes) kill(process_);
    await thaw(name);
    await sleep(50);
  }
}

/** Removes a cgroup if nothing is in it. */
export async function dropCgroup(name: string): Promise<void> {
  for (const { path } of await readHierarchies()) await quietly(rmdir(join(path, name)));
}

// In version 1, what is frozen does not die.
async function thaw(name: string): Promise<void> {
  for (const { path, controllers } of await readHierarchies()) {
    if (!controllers.includes('freezer')) continue;
    for (const folder of await tree(join(path, name)))
      await quietly(writeFile(join(folder, 'freezer.state'), 'THAWED'));
  }
}

export function kill(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A folder and all below it, the outermost first. None if it is not there. */
async function tree(folder: string): Promise<string[]> {
  const entries = await quietly(readdir(folder, { withFileTypes: true }));
  if (entries === undefined) return [];
  const below = await Promise.all(
    entries.filter((one) => one.isDirectory()).map((one) => tree(join(folder, one.name))),
  );
  return [folder, ...below.flat()];
}

// Cgroups come and go while they are read.
async function quietly<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENODEV' || code === 'EBUSY' || code === 'ENOTEMPTY') return undefined;
    throw error;
  }
}
