import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeAtomically } from './write.ts';

/** Calls to the file system as they were made, each with the name that it was about. */
const calls: string[] = [];
let failing: string | undefined;

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const call = async <T>(name: string, path: string, work: () => Promise<T>): Promise<T> => {
    calls.push(`${name} ${basename(path).replace(`${process.pid}`, 'PID')}`);
    if (failing === name) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
    return await work();
  };
  const recorded = (handle: FileHandle, path: string): object => ({
    chmod: (mode: number) => call('chmod', path, () => handle.chmod(mode)),
    writeFile: (text: string, encoding: 'utf8') => call('write', path, () => handle.writeFile(text, encoding)),
    sync: () => call('fsync', path, () => handle.sync()),
    close: () => call('close', path, () => handle.close()),
  });
  return {
    ...real,
    open: (path: string, ...rest: []) => call('open', path, async () => recorded(await real.open(path, ...rest), path)),
    rename: (from: string, to: string) => call('rename', from, () => real.rename(from, to)),
    rm: (path: string, options: object) => call('remove', path, () => real.rm(path, options)),
  };
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootlace-write-'));
  path = join(folder, 'out');
  calls.length = 0;
  failing = undefined;
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file is on disk before it takes its name, and its name before the end', async () => {
  await writeAtomically(path, 'new');
  expect(calls).toEqual([
    'remove .out.PID.tmp',
    'open .out.PID.tmp',
    'chmod .out.PID.tmp',
    'write .out.PID.tmp',
    'fsync .out.PID.tmp',
    'close .out.PID.tmp',
    'rename .out.PID.tmp',
    `open ${basename(folder)}`,
    `fsync ${basename(folder)}`,
    `close ${basename(folder)}`,
  ]);
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test.each(['open', 'chmod', 'write', 'fsync', 'close', 'rename'])(
  'when %s fails, the path holds what it held and nothing lies beside it',
  async (name) => {
    writeFileSync(path, 'old');
    failing = name;
    await expect(writeAtomically(path, 'new')).rejects.toMatchObject({ code: 'OUTPUT_FAILED' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['out']);
  },
);
