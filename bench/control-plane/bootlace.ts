import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cluster } from '../cluster/bench.ts';
import { enterNode, runOnNode } from '../cluster/machines.ts';
import type { Status } from '../../src/control-plane/operations/status.ts';

const BUILD = resolve(import.meta.dirname, '../../scripts/build-binary.ts');
const PATH = '/usr/local/bin/bootlace';

/** Builds the executable, or one of another program, in a folder that goes with this process. */
export function buildBinary(...entry: readonly [] | readonly [path: string]): string {
  const folder = mkdtempSync(join(tmpdir(), 'bootlace-binary-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const binary = join(folder, 'bootlace');
  execFileSync(process.execPath, [BUILD, binary, ...entry], { stdio: ['ignore', 'ignore', 'inherit'] });
  return binary;
}

/** Puts the executable on a node, where a person would. */
export async function install(cluster: Cluster, node: string, binary: string): Promise<void> {
  const script = `cat > ${PATH}.new && chmod 755 ${PATH}.new && mv ${PATH}.new ${PATH}`;
  const [program, ...args] = await enterNode(cluster, node, ['bash', '-c', script]);
  const file = openSync(binary, 'r');
  try {
    execFileSync(program!, args, { stdio: [file, 'ignore', 'inherit'] });
  } finally {
    closeSync(file);
  }
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that goes on: it may be killed, with what it started. */
export interface Running {
  readonly ended: Promise<Ran>;
  /** Ends once what it says on standard error has that in it. */
  says(text: RegExp): Promise<void>;
  /** Ends the program on the node as `kill -9` does. */
  kill(): Promise<void>;
}

/** Runs `bootlace control-plane` on a node, as root does there; or with other words before, what was installed in its place. */
export async function start(
  cluster: Cluster,
  node: string,
  args: readonly string[],
  before: readonly string[] = ['control-plane'],
): Promise<Running> {
  const [program, ...rest] = await enterNode(cluster, node, [PATH, ...before, ...args]);
  const child = spawn(program!, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  const listeners = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const listener of listeners) listener();
  });
  const ended = new Promise<Ran>((done) => child.on('close', (status) => done({ status, stdout, stderr })));
  return {
    ended,
    says: (text) =>
      new Promise((done, fail) => {
        const look = (): void => {
          if (!text.test(stderr)) return;
          listeners.delete(look);
          done();
        };
        listeners.add(look);
        void ended.then(() => fail(new Error(`It ended without ${text}:\n${stderr}`)));
        look();
      }),
    kill: async () => void (await runOnNode(cluster, node, ['bash', '-c', KILL, 'kill', PATH])),
  };
}

/** By its file: what is seen from outside of the node are the programs that enter it. */
const KILL = 'for p in /proc/[0-9]*; do if [ "$(readlink $p/exe)" = "$1" ]; then kill -9 ${p#/proc/}; fi; done';

export async function bootlaceOn(cluster: Cluster, node: string, ...args: readonly string[]): Promise<Ran> {
  return (await start(cluster, node, args)).ended;
}

export async function statusOn(cluster: Cluster, node: string): Promise<Status> {
  return JSON.parse((await bootlaceOn(cluster, node, 'status', '-o', 'json')).stdout) as Status;
}
