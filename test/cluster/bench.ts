import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

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

/** Runs the bench's command as a developer does, to its end. */
export function cluster(state: string, args: readonly string[], input = ''): BenchRun {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, '--state', state, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/** Runs it and expects status 0. */
export function succeed(state: string, args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = cluster(state, args, input);
  if (status !== 0) throw new Error(`cluster ${args.join(' ')} ended with status ${status}:\n${stderr}`);
  return stdout;
}

/** Starts it and kills it as soon as it says something. */
export async function killAt(
  state: string,
  args: readonly string[],
  said: RegExp,
  signal: NodeJS.Signals,
): Promise<BenchRun> {
  const child = spawn(process.execPath, [MAIN, '--state', state, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (texts.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    texts.stderr += chunk;
    if (said.test(texts.stderr) && !child.killed) child.kill(signal);
  });
  const status = await new Promise<number | null>((settle) => child.on('close', settle));
  return { status, ...texts };
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
