import { spawnSync } from 'node:child_process';
import { inject } from 'vitest';

export interface CommandRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a process of its own, without a terminal. */
export function bootlace(
  args: readonly string[],
  input: string | Buffer = '',
  env: Record<string, string> = {},
): CommandRun {
  const { status, stdout, stderr } = spawnSync(process.execPath, [inject('command'), ...args], {
    input,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}
