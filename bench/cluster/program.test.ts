import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBench } from './program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootlace-program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const texts = { stdout: '', stderr: '' };
  const status = await runBench(args, {
    stdout: { isTTY: false, columns: 80, write: (text) => void (texts.stdout += text) },
    stderr: { write: (text) => void (texts.stderr += text) },
    state: join(folder, 'state'),
    cache: join(folder, 'cache'),
    cwd: folder,
    now: () => 0,
    signal: new AbortController().signal,
  });
  return { status, ...texts };
}

test('help names every command', async () => {
  const { status, stdout } = await run('help');
  expect(status).toBe(0);
  for (const command of ['build', 'up', 'status', 'exec', 'kubectl', 'power-cut', 'boot', 'probe', 'down']) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
  }
});

test.each<[string[], string]>([
  [['start'], 'no command "start"'],
  [['constructor'], 'no command "constructor"'],
  [['up', '--nodes', '3'], "Unknown option '--nodes'"],
  [['up', '--workers', 'many'], '--workers takes a number'],
  [['build', '--kubernetes', '1.35'], '"1.35" is no version'],
  [['--state'], '--state needs a folder'],
  [['down', 'now'], 'now'],
])('%j is wrong usage', async (args, message) => {
  const { status, stdout, stderr } = await run(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test.each([
  ['status'],
  ['exec', 'cp1', '--', 'true'],
  ['kubectl', 'get', 'nodes'],
  ['power-cut', 'cp1'],
  ['boot', 'cp1'],
  ['probe'],
])('%s without a cluster says how to get one', async (...args) => {
  const { status, stdout, stderr } = await run(...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('no cluster is up');
  expect(stderr).toContain('npm run cluster -- up');
});

test('another state folder is another bench', async () => {
  expect((await run('--state', join(folder, 'other'), 'status')).status).toBe(1);
});
