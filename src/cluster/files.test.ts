import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeFiles, type Files } from './files.ts';
import { createMemoryFiles } from './simulated/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'bootlace-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

function onDisk(): Files {
  writeFileSync(join(folder, 'a'), 'é');
  return nodeFiles;
}

describe.each<[string, () => Files]>([
  ['of this machine', onDisk],
  ['in memory', () => createMemoryFiles({ [join(folder, 'a')]: 'é' })],
])('files %s', (_, create) => {
  test('are read as bytes', async () => {
    expect([...(await create().read(join(folder, 'a')))]).toEqual([0xc3, 0xa9]);
  });

  test('that are not there have a code', async () => {
    const files = create();
    await expect(files.read(join(folder, 'b'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(files.stat(join(folder, 'b'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('are gone after their removal, which may be done twice', async () => {
    const files = create();
    await files.stat(join(folder, 'a'));
    await files.remove(join(folder, 'a'));
    await files.remove(join(folder, 'a'));
    await expect(files.stat(join(folder, 'a'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('a directory is removed with what is in it', async () => {
  mkdirSync(join(folder, 'd'));
  writeFileSync(join(folder, 'd/x'), '');
  await nodeFiles.remove(join(folder, 'd'));
  await expect(nodeFiles.stat(join(folder, 'd'))).rejects.toMatchObject({ code: 'ENOENT' });
});
