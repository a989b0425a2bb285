import { existsSync } from 'node:fs';
import { openSandbox, parseSandbox, printSandbox } from '../../control-plane/rehearsal/sandbox.ts';
import type { Sandbox, SandboxEntry, SandboxFile } from '../../control-plane/rehearsal/sandbox.ts';
import { BootlaceError, UsageError } from '../../core/errors.ts';
import { reasonOf } from '../../core/redact.ts';
import { readForm } from '../arguments.ts';
import { readText } from '../input.ts';
import { writeAtomically } from '../write.ts';
import { readDirectory } from './directory.ts';
import { readNumber } from './settings.ts';

/** Flags that say where a change is made. */
export const PLACE_FLAGS = {
  simulated: { type: 'string' },
  node: { type: 'string' },
  nodes: { type: 'string' },
  seed: { type: 'string' },
  'manifests-dir': { type: 'string' },
} as const;

export const PLACE_HELP = `      --simulated FILE     the simulated cluster that the file tells of; made where there is none
      --node NAME          the node that bootlace stands on; default cp1
      --nodes N            of a new cluster: nodes with a control plane, 1 (default) or 3
      --seed N             of a new cluster: everything that is left to chance follows from it; default 1
      --manifests-dir DIR  of a new cluster: manifests of a node as kubeadm writes them; default those of a new node`;

export interface PlaceFlags {
  readonly simulated?: string | undefined;
  readonly node?: string | undefined;
  readonly nodes?: string | undefined;
  readonly seed?: string | undefined;
  readonly 'manifests-dir'?: string | undefined;
}

/** A simulated cluster in a file, opened. */
export interface Bench {
  readonly sandbox: Sandbox;
  readonly node: string;
  /** Number of the next run. */
  readonly number: number;
  /** Keeps what was done. */
  readonly save: (entry?: SandboxEntry) => Promise<void>;
}

/**
 * Opens the cluster that the flags name.
 *
 * @throws UsageError where there is none, or a file that holds something else.
 */
export async function openBench(flags: PlaceFlags, command: string): Promise<Bench> {
  const { simulated: path, node = 'cp1' } = flags;
  if (path === undefined)
    throw new UsageError(
      `${command} cannot reach into a real node yet`,
      `Write --simulated FILE: it works on a simulated cluster that the file keeps.`,
    );
  const isThere = existsSync(path);
  if (isThere) refuseNew(flags);
  const file = isThere ? read(path) : fresh(flags, command);
  const sandbox = await opened(file, path);
  let history = file.history;
  return {
    sandbox,
    node,
    number: history.length + 1,
    save: async (entry) => {
      if (entry !== undefined) history = [...history, entry];
      await writeAtomically(path, printSandbox({ ...file, history }));
    },
  };
}

async function opened(file: SandboxFile, path: string): Promise<Sandbox> {
  try {
    return await openSandbox(file);
  } catch (error) {
    if (!(error instanceof BootlaceError) || error.code !== 'SIMULATION_STALLED') throw error;
    throw new UsageError(
      `the simulated cluster of ${path} does not come to serve: ${error.message}`,
      '`bootlace control-plane rehearse --manifests-dir DIR` says what is wrong with manifests.',
    );
  }
}

function refuseNew({ nodes, seed, 'manifests-dir': directory }: PlaceFlags): void {
  const given = Object.entries({ nodes, seed, 'manifests-dir': directory }).find(([, value]) => value !== undefined);
  if (given !== undefined)
    throw new UsageError(
      `--${given[0]} is of a new cluster, and the file is there`,
      'Leave it out, or name another file.',
    );
}

function fresh({ nodes, seed, 'manifests-dir': directory }: PlaceFlags, command: string): SandboxFile {
  const manifests = directory === undefined ? undefined : readDirectory(directory).manifests;
  return {
    version: 1,
    seed: readNumber('--seed', seed, 1, 0, 2 ** 32 - 1),
    nodes: Number(readForm(nodes, ['1', '3'], command, 'number of nodes')),
    ...(manifests && { manifests }),
    history: [],
  };
}

function read(path: string): SandboxFile {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`, 'Name a file that may be read.');
  }
  const file = parseSandbox(text);
  if (file !== undefined) return file;
  throw new UsageError(`${path} holds no simulated cluster`, 'Name a file that does not exist yet.');
}
