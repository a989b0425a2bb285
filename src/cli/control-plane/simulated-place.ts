import { existsSync } from 'node:fs';
import { openSandbox, parseSandbox, printSandbox } from '../../control-plane/rehearsal/sandbox.ts';
import type { Sandbox, SandboxFile } from '../../control-plane/rehearsal/sandbox.ts';
import { BootlaceError, UsageError } from '../../core/errors.ts';
import { reasonOf } from '../../core/redact.ts';
import { readForm } from '../arguments.ts';
import { readText } from '../input.ts';
import { writeAtomically } from '../write.ts';
import { readDirectory } from './directory.ts';
import type { Place, PlaceFlags } from './place.ts';
import { readNumber } from './settings.ts';

/**
 * The simulated cluster of a file.
 *
 * @throws UsageError for a file that holds something else.
 */
export async function openSimulation(
  flags: PlaceFlags & { readonly simulated: string },
  command: string,
): Promise<Place> {
  const { simulated: path, node = 'cp1' } = flags;
  const isThere = existsSync(path);
  if (isThere) refuseNew(flags);
  const file = isThere ? read(path) : fresh(flags, command);
  const sandbox = await opened(file, path);
  let history = file.history;
  let isOver = false;
  sandbox.station(node);
  return {
    node,
    isSimulated: true,
    nextId: (verb) => `${verb}-${history.length + 1}`,
    station: () => sandbox.station(node),
    run: async (entry, id, options) => {
      const [result, kept] = await sandbox.run({ ...entry, id, node }, options);
      // What was refused has changed nothing.
      if (result.outcome !== 'refused' && result.outcome !== 'interrupted') history = [...history, kept];
      return result;
    },
    close: async () => {
      if (isOver) return;
      isOver = true;
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
