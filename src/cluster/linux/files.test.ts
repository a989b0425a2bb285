import { constants } from 'node:fs';
import {
  mkdtemp,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFiles, type FileCalls } from './files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bootlace-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Notes what is done, by names below the folder. */
function recorded(failAt?: string) {
  const calls: string[] = [];
  const short = (path: unknown): string => String(path).replace(`${folder}`, '~');
  const note = (line: string): void => {
    calls.push(line);
    if (line.startsWith(failAt ?? '\0')) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  const own = {
    mkdir: async (path: string, options: object) => {
      const first = (await mkdir(path, options)) as unknown as string | undefined;
      if (first !== undefined) note(`mkdir ${short(path)}`);
      return first;
    },
    open: async (path: string, flags: string | number, mode?: number) => {
      const handle = await open(path, flags, mode);
      const name = short(path);
      return {
        writeFile: async (text: string) => {
          await handle.writeFile(text);
          note(`write ${name}`);
        },
        sync: async () => {
          await handle.sync();
          note(`sync ${name}`);
        },
        close: () => handle.close(),
      };
    },
    rename: async (from: string, to: string) => {
      await rename(from, to);
      note(`rename ${short(from)} ${short(to)}`);
    },
    unlink,
    rmdir,
  };
  return { calls, files: createFiles(new Set([`${folder}/own`]), own as unknown as FileCalls) };
}

describe('a file that is written', () => {
  test('is whole before it has its name, and both survive a power cut', async () => {
    const { calls, files } = recorded();
    await files.write(`${folder}/own/a.yaml`, 'one');
    expect(calls).toEqual([
      'mkdir ~/own',
      'sync ~',
      'write ~/own/.a.yaml.bootlace',
      'sync ~/own/.a.yaml.bootlace',
      'rename ~/own/.a.yaml.bootlace ~/own/a.yaml',
      'sync ~/own',
    ]);
    expect(await readFile(`${folder}/own/a.yaml`, 'utf8')).toBe('one');
    expect((await stat(`${folder}/own/a.yaml`)).mode & 0o777).toBe(0o600);
    expect((await stat(`${folder}/own`)).mode & 0o777).toBe(0o700);
  });

  test('leaves what was there, and no part of it, where the disk is full', async () => {
    await writeFile(`${folder}/a.yaml`, 'before');
    const { files } = recorded('write ');
    await expect(files.write(`${folder}/a.yaml`, 'after')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await readdir(folder)).toEqual(['a.yaml']);
    expect(await readFile(`${folder}/a.yaml`, 'utf8')).toBe('before');
  });

  test('takes the place of a link, and leaves alone what it led to', async () => {
    await writeFile(`${folder}/target`, 'kept');
    await symlink(`${folder}/target`, `${folder}/a.yaml`);
    await symlink(`${folder}/target`, `${folder}/.a.yaml.bootlace`);
    const { files } = recorded();
    await files.write(`${folder}/a.yaml`, 'new');
    expect(await readFile(`${folder}/target`, 'utf8')).toBe('kept');
    expect(await files.linkOf(`${folder}/a.yaml`)).toBeUndefined();
  });
});

describe('a file that is moved', () => {
  test('takes with it what a write that was killed has left, and an own directory that is empty then', async () => {
    await mkdir(`${folder}/own`);
    await writeFile(`${folder}/own/a.yaml`, 'one');
    await writeFile(`${folder}/.a.yaml.bootlace`, 'half');
    const { calls, files } = recorded();
    await files.move(`${folder}/own/a.yaml`, `${folder}/a.yaml`);
    expect(calls).toEqual(['rename ~/own/a.yaml ~/a.yaml', 'sync ~', 'sync ~/own']);
    expect(await readdir(folder)).toEqual(['a.yaml']);
  });

  test('that is not there is an error', async () => {
    await expect(recorded().files.move(`${folder}/x`, `${folder}/y`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('removing what is not there is no error, and an own directory stays while anything is in it', async () => {
  const { files } = recorded();
  await files.remove(`${folder}/none/x`);
  await files.write(`${folder}/own/a`, '');
  await files.write(`${folder}/own/b`, '');
  await files.remove(`${folder}/own/a`);
  expect(await readdir(`${folder}/own`)).toEqual(['b']);
  await files.remove(`${folder}/own/b`);
  expect(await readdir(folder)).toEqual([]);
});

test('a list has files and links to files, and no directories', async () => {
  await mkdir(`${folder}/d`);
  await writeFile(`${folder}/f`, '');
  await symlink(`${folder}/f`, `${folder}/l`);
  await symlink(`${folder}/d`, `${folder}/to-d`);
  await symlink(`${folder}/nowhere`, `${folder}/broken`);
  const { files } = recorded();
  expect(await files.list(folder)).toEqual(['broken', 'f', 'l']);
  expect(await files.linkOf(`${folder}/l`)).toBe(`${folder}/f`);
  await expect(files.list(`${folder}/none`)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('flags of the system are there that keep a write from following a link', () => {
  expect(constants.O_NOFOLLOW).toBeGreaterThan(0);
});
