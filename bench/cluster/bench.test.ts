import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alone, files, openBench, openCluster, readRecord, removeCluster, removeState, writeRecord } from './bench.ts';
import { readSettings } from './settings.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bootlace-bench-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a state folder', () => {
  test('belongs to the same bench whichever way it is reached, and two folders to two', async () => {
    const first = await openBench(join(folder, 'a'), '/cache', true);
    symlinkSync(join(folder, 'a'), join(folder, 'link'));
    expect(await openBench(join(folder, 'link'), '/cache')).toEqual(first);
    expect((await openBench(join(folder, 'b'), '/cache')).cgroup).not.toBe(first.cgroup);
  });

  test('is only made by who brings up a cluster', async () => {
    await openBench(join(folder, 'a'), '/cache');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('with the files of others is refused, and none of them is removed', async () => {
    writeFileSync(join(folder, 'thesis.tex'), '');
    for (const create of [false, true]) {
      await expect(openBench(folder, '/cache', create)).rejects.toMatchObject({ status: 2 });
    }
    const own = join(folder, 'own');
    const bench = await openBench(own, '/cache', true);
    writeFileSync(join(own, 'notes'), '');
    await expect(removeState(bench)).rejects.toThrow('not the bench');
    expect(readdirSync(own)).toEqual(['notes']);
  });

  test.each(['with space', 'comma,', 'colon:', 'quote"', "quote'", 'back\\slash', 'new\nline'])(
    'or a cache whose name mount options cannot hold is refused: %j',
    async (name) => {
      mkdirSync(join(folder, name));
      symlinkSync(join(folder, name), join(folder, 'link'));
      for (const path of [join(folder, name), join(folder, 'link')]) {
        await expect(openBench(path, '/cache')).rejects.toMatchObject({ status: 2 });
        await expect(openBench(join(folder, 'state'), path)).rejects.toMatchObject({ status: 2 });
      }
    },
  );
});

describe('the record of a cluster', () => {
  test('says what to run while there is none, or only half of one', async () => {
    const bench = await openBench(folder, '/cache', true);
    await expect(openCluster(bench)).rejects.toThrow('no cluster is up');
    await writeRecord(bench, { settings: readSettings({}), complete: false });
    await expect(openCluster(bench)).rejects.toThrow('did not come to its end');
  });

  test('is the last that goes', async () => {
    const bench = await openBench(folder, '/cache', true);
    await writeRecord(bench, { settings: readSettings({}), complete: true });
    expect((await openCluster(bench)).settings).toEqual(readSettings({}));
    await removeCluster(bench);
    expect(await readRecord(bench)).toBeUndefined();
  });

  test('that cannot be read is an error with a way out', async () => {
    const bench = await openBench(folder, '/cache', true);
    writeFileSync(files.record(bench), '{');
    await expect(readRecord(bench)).rejects.toMatchObject({ hint: expect.stringContaining('down --all') });
  });
});

describe('work that only one may do', () => {
  test('is refused to a second one until the first has ended', async () => {
    const name = `test-${process.pid}`;
    const order: string[] = [];
    await alone(name, async () => {
      await expect(alone(name, () => Promise.resolve())).rejects.toThrow('another command of this bench');
      order.push('first');
    });
    await alone(name, () => Promise.resolve(order.push('second')));
    expect(order).toEqual(['first', 'second']);
  });

  test('waits where it may', async () => {
    const name = `wait-${process.pid}`;
    let release = (): void => {};
    const first = alone(name, () => new Promise<void>((resolve) => (release = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = alone(
      name,
      () => Promise.resolve('done'),
      async () => {
        release();
        await first;
      },
    );
    expect(await second).toBe('done');
  });

  test('is free again after a failure', async () => {
    const name = `fail-${process.pid}`;
    await expect(alone(name, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await alone(name, () => Promise.resolve(1))).toBe(1);
  });
});
