import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { planAddresses, type AddressPlan, type NodePlan } from './addresses.ts';
import { BenchError, usageError } from './errors.ts';
import type { Settings } from './settings.ts';

/** One bench: a state folder, and everything on this computer that belongs to it. */
export interface Bench {
  /** The state folder, absolute and without links. */
  readonly state: string;
  /** Where built programs are kept for all benches. */
  readonly cache: string;
  /** Name of its cgroup. It follows from the state folder, so that even a bench without a record is found. */
  readonly cgroup: string;
}

/**
 * The bench of a state folder. A folder that has anything in it must be a bench's own, since a bench is removed with
 * what is in its folder. Only `create` makes the folder.
 */
export async function openBench(state: string, cache: string, create = false): Promise<Bench> {
  const bench = { state: await realPath(state), cache: await realPath(cache), cgroup: '' };
  for (const path of [bench.state, bench.cache]) requirePlain(path);
  const entries: string[] = await readdir(bench.state).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw usageError(`cannot look into the state folder ${bench.state} (${error.code})`, 'A bench belongs to root.');
  });
  if (entries.length > 0 && !entries.includes(MARKER)) {
    throw usageError(`${bench.state} is no state folder of a bench, and it is not empty`, 'Choose a new folder.');
  }
  if (create) {
    await mkdir(bench.state, { recursive: true, mode: 0o700 });
    await chmod(bench.state, 0o700);
    await writeFile(join(bench.state, MARKER), 'This folder belongs to a bench of bootlace, which removes it.\n');
  }
  const id = createHash('sha256').update(bench.state).digest('hex').slice(0, 8);
  return { ...bench, cgroup: `bootlace-${id}` };
}

const MARKER = '.bootlace-cluster';

/** A path without links, also of what is not there yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const whole = resolve(path);
    return whole === dirname(whole) ? whole : join(await realPath(dirname(whole)), basename(whole));
  }
}

// Mount options, search paths and the files of machines would be cut in two at these.
function requirePlain(path: string): void {
  if (!/[\s,:\\"']/.test(path)) return;
  throw usageError(
    `the folder ${JSON.stringify(path)} has a character that mount options cannot hold`,
    'Choose one without spaces, commas, colons, quotes and backslashes.',
  );
}

/** What stands in the state folder about a cluster. */
export interface ClusterRecord {
  readonly settings: Settings;
  /** Whether `up` came to its end. */
  readonly complete: boolean;
}

export const files = {
  record: (bench: Bench): string => join(bench.state, 'cluster.json'),
  lan: (bench: Bench): string => join(bench.state, 'lan'),
  nodes: (bench: Bench): string => join(bench.state, 'nodes'),
  node: (bench: Bench, name: string): string => join(bench.state, 'nodes', name),
  images: (bench: Bench): string => join(bench.state, 'images'),
  kubeconfig: (bench: Bench): string => join(bench.state, 'admin.conf'),
  kubectlCache: (bench: Bench): string => join(bench.state, 'kubectl-cache'),
  probes: (bench: Bench): string => join(bench.state, 'probes'),
};

export async function readRecord(bench: Bench): Promise<ClusterRecord | undefined> {
  try {
    return JSON.parse(await readFile(files.record(bench), 'utf8')) as ClusterRecord;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new BenchError(`cannot read ${files.record(bench)}`, { cause, hint: 'Remove the bench with `down --all`.' });
  }
}

export async function writeRecord(bench: Bench, record: ClusterRecord): Promise<void> {
  const path = files.record(bench);
  await writeFile(`${path}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
}

/** A cluster that is up, or was before a power cut. */
export interface Cluster {
  readonly bench: Bench;
  readonly settings: Settings;
  readonly plan: AddressPlan;
}

export function clusterOf(bench: Bench, settings: Settings): Cluster {
  return { bench, settings, plan: planAddresses(settings) };
}

/** The cluster of a bench. Fails with the command to run if there is none. */
export async function openCluster(bench: Bench): Promise<Cluster> {
  const record = await readRecord(bench);
  if (record?.complete) return clusterOf(bench, record.settings);
  throw new BenchError(record ? 'the last `up` did not come to its end' : 'no cluster is up', {
    hint: 'Run `npm run cluster -- up`.',
  });
}

export function nodeOf(cluster: Cluster, name: string | undefined): NodePlan {
  const node = cluster.plan.nodes.find((one) => one.name === name);
  if (node) return node;
  const known = cluster.plan.nodes.map((one) => one.name).join(', ');
  throw usageError(name === undefined ? 'a node is missing' : `no node ${JSON.stringify(name)}`, `Known: ${known}.`);
}

export async function removeCluster(bench: Bench): Promise<void> {
  const { lan, nodes, kubeconfig, kubectlCache, probes } = files;
  for (const path of [lan, nodes, kubeconfig, kubectlCache, probes]) {
    await rm(path(bench), { recursive: true, force: true });
  }
  // The last, so that a removal that was cut off is seen.
  await rm(files.record(bench), { force: true });
}

/** Removes the state folder, of which nothing is left but images, and nobody else's files. */
export async function removeState(bench: Bench): Promise<void> {
  await rm(files.images(bench), { recursive: true, force: true });
  await rm(`${files.record(bench)}.new`, { force: true });
  await rm(join(bench.state, MARKER), { force: true });
  try {
    await rmdir(bench.state);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw new BenchError(`the state folder ${bench.state} has something in it that is not the bench's`, { cause });
  }
}

/**
 * Runs work that only one process at a time may do. The lock is a socket name of the kernel's: it goes with the
 * process, however that ends. Fails at once when somebody else has it, or does what `onBusy` says and tries again.
 */
export async function alone<T>(
  name: string,
  work: () => Promise<T>,
  onBusy: () => void | Promise<void> = () => {
    throw new BenchError('another command of this bench is running', { hint: 'Wait for its end.' });
  },
): Promise<T> {
  let lock = await tryLock(name);
  for (; lock === undefined; lock = await tryLock(name)) await onBusy();
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function tryLock(name: string): Promise<Server | undefined> {
  const lock = createServer().unref();
  return await new Promise((settle, reject) => {
    lock.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? settle(undefined) : reject(error),
    );
    lock.listen(`\0bootlace/${name}`, () => settle(lock));
  });
}
