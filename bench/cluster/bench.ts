import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
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

export async function openBench(state: string, cache: string): Promise<Bench> {
  // Mount options and search paths would be cut in two at these.
  if (/[\s,:\\"']/.test(resolve(state))) {
    throw usageError(
      `the state folder ${JSON.stringify(state)} has a character that mount options cannot hold`,
      'Choose one without spaces, commas, colons, quotes and backslashes.',
    );
  }
  await mkdir(state, { recursive: true, mode: 0o700 });
  const path = await realpath(state);
  const id = createHash('sha256').update(path).digest('hex').slice(0, 8);
  return { state: path, cache: resolve(cache), cgroup: `bootlace-${id}` };
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
  for (const path of [files.lan(bench), files.nodes(bench), files.kubeconfig(bench), files.probes(bench)]) {
    await rm(path, { recursive: true, force: true });
  }
  // The last, so that a removal that was cut off is seen.
  await rm(files.record(bench), { force: true });
}

/**
 * Runs work that only one process at a time may do. The lock is a socket name of the kernel's: it goes with the
 * process, however that ends. Fails at once when somebody else has it, or waits and says so.
 */
export async function alone<T>(
  name: string,
  work: () => Promise<T>,
  onBusy: () => void | Promise<void> = () => {
    throw new BenchError('another command of this bench is running', { hint: 'Wait for its end.' });
  },
): Promise<T> {
  const lock = createServer().unref();
  const taken = (): Promise<boolean> =>
    new Promise((settle, reject) => {
      const onError = (error: NodeJS.ErrnoException): void =>
        error.code === 'EADDRINUSE' ? settle(false) : reject(error);
      lock.once('error', onError);
      lock.listen(`\0bootlace/${name}`, () => {
        lock.off('error', onError);
        settle(true);
      });
    });
  while (!(await taken())) await onBusy();
  try {
    return await work();
  } finally {
    lock.close();
  }
}
