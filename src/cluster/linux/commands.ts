import { execFile } from 'node:child_process';
import { systemCode } from '../kubernetes/load.ts';

/** Runs a program of the node and gives what it printed. */
export type Run = (program: string, args: readonly string[], input?: string) => Promise<string>;

/** A program that is not there, or that ended with another status than 0. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** `ENOENT` where the program is not there. */
  readonly code: string | undefined;
  /** What it said on standard error. */
  readonly stderr: string;

  constructor(program: string, stderr: string, cause: unknown) {
    const code = systemCode(cause);
    const reason = stderr.trim().split('\n')[0] || (code === 'ENOENT' ? 'it is not there' : String(cause));
    super(`${program}: ${reason}`, { cause });
    this.code = code;
    this.stderr = stderr;
  }
}

/** Longest time that a program may take, in milliseconds. */
const PATIENCE = 10_000;
/** What one may print, in bytes. */
const OUTPUT_LIMIT = 64 * 2 ** 20;

/** Programs of this machine, in the locale that their output is read in. */
export const runCommand: Run = (program, args, input) =>
  new Promise((resolve, reject) => {
    const options = { timeout: PATIENCE, maxBuffer: OUTPUT_LIMIT, env: { PATH: SEARCH_PATH, LC_ALL: 'C' } };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new CommandError(program, stderr, error));
    });
    // A program that ends before it has read everything says so by its status.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });

/** Root's, which a service or a `sudo` may not have. */
const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
