import { spawn, type StdioOptions } from 'node:child_process';
import { BenchError } from './errors.ts';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Milliseconds after which the command is killed; default none. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, whatever its status is. */
export async function attempt(command: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const [program, ...args] = command;
  const stdio: StdioOptions = [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  return await new Promise((resolve, reject) => {
    // In a group of its own: a program that entered a PID namespace has forked, and its child has to end with it.
    const child = spawn(program!, args, {
      stdio,
      detached: true,
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      ...(options.env && { env: { ...process.env, ...options.env } }),
    });
    const end = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    };
    const timer = options.timeout === undefined ? undefined : setTimeout(end, options.timeout);
    options.signal?.addEventListener('abort', end, { once: true });
    if (options.signal?.aborted) end();
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]!.setEncoding('utf8').on('data', (chunk: string) => (texts[name] += chunk));
    }
    child.on('error', (cause) => reject(new BenchError(`cannot run ${program}`, { cause })));
    child.on('close', (code) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', end);
      resolve({ status: code ?? 1, ...texts });
    });
    // A command that ends without reading its input closes the pipe, and its status says the rest.
    child.stdin?.on('error', () => {}).end(options.input);
  });
}

/** Runs a command and returns what it printed. Fails with the end of what it said if its status is not 0. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await attempt(command, options);
  if (status === 0) return stdout;
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-12).join('\n');
  throw new BenchError(`${command.slice(0, 4).join(' ')} … ended with status ${status}:\n${said}`);
}

/** Hands this terminal to a command, and returns its status. */
export async function handOver(command: readonly string[], cwd?: string): Promise<number> {
  const [program, ...args] = command;
  // Ctrl-C reaches the command itself, since it is in the same group; its status is then ours.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(program!, args, { stdio: 'inherit', ...(cwd !== undefined && { cwd }) });
      child.on('error', (cause) => reject(new BenchError(`cannot run ${program}`, { cause })));
      child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
