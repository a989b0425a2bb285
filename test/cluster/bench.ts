import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Status } from '../../bench/cluster/status.ts';
import { DEFAULT_KUBERNETES } from '../../bench/cluster/versions.ts';

const MAIN = resolve(import.meta.dirname, '../../bench/cluster/main.ts');

/** Where programs are kept between runs: the user's own cache. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bootlace');

/** A state folder of a test's own. */
export function newState(): string {
  return mkdtempSync(join(tmpdir(), 'bootlace-cluster-'));
}

export interface BenchRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bench's command as a developer does, to its end. A probe of this process goes on meanwhile. */
export async function cluster(state: string, args: readonly string[], input = ''): Promise<BenchRun> {
  const child = spawn(process.execPath, [MAIN, '--state', state, ...args]);
  const texts = collect(child);
  child.stdin.on('error', () => {}).end(input);
  const status = await endOf(child);
  return { status, ...texts };
}

/** Runs it and expects status 0. */
export async function succeed(state: string, args: readonly string[], input?: string): Promise<string> {
  const { status, stdout, stderr } = await cluster(state, args, input);
  if (status !== 0) throw new Error(`cluster ${args.join(' ')} ended with status ${status}:\n${stderr}`);
  return stdout;
}

/** What tests do with a bench all the time. */
export function commandsOf(state: string): {
  readonly kubectl: (...args: string[]) => Promise<string>;
  readonly status: () => Promise<Status>;
} {
  return {
    kubectl: (...args) => succeed(state, ['kubectl', ...args]),
    status: async () => JSON.parse(await succeed(state, ['status', '-o', 'json'])) as Status,
  };
}

/** The version that the tests run on. */
export const KUBERNETES = process.env['BOOTLACE_CLUSTER_KUBERNETES'] ?? DEFAULT_KUBERNETES;

/** Starts it and kills it as soon as it says something. */
export async function killAt(
  state: string,
  args: readonly string[],
  said: RegExp,
  signal: NodeJS.Signals,
): Promise<BenchRun> {
  const child = spawn(process.execPath, [MAIN, '--state', state, ...args]);
  const texts = collect(child);
  child.stderr.on('data', () => {
    if (said.test(texts.stderr) && !child.killed) child.kill(signal);
  });
  const status = await endOf(child);
  return { status, ...texts };
}

function collect(child: ChildProcessWithoutNullStreams): { stdout: string; stderr: string } {
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (texts.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (texts.stderr += chunk));
  return texts;
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return await new Promise((settle) => child.on('close', settle));
}

/** Runs something until it no longer throws. */
export async function eventually<T>(work: () => T | Promise<T>, timeout = 60_000): Promise<T> {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((settle) => setTimeout(settle, 300));
    }
  }
}
