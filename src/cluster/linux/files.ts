import { constants } from 'node:fs';
import { mkdir, open, readdir, readlink, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import type { HostFiles } from '../host.ts';
import { nodeFiles } from '../files.ts';
import { systemCode } from '../kubernetes/load.ts';

/** What of the file system is used; a test holds the order of calls, since a power cut is what it is for. */
export interface FileCalls {
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly rename: typeof rename;
  readonly unlink: typeof unlink;
  readonly rmdir: typeof rmdir;
}

const CALLS: FileCalls = { mkdir, open, rename, unlink, rmdir };

const OWNER_ONLY = 0o600;
const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW } = constants;

/** Ends when what was made, renamed or removed in a directory would survive a power cut. */
export async function flushDirectory(directory: string, openFile: FileCalls['open'] = open): Promise<void> {
  const handle = await openFile(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The files of this node. Directories of `own` go with the last file in them: a node that was taken back has none.
 */
export function createFiles(own: ReadonlySet<string>, calls: FileCalls = CALLS): HostFiles {
  const flush = (directory: string): Promise<void> => flushDirectory(directory, calls.open);

  /** Makes a directory, and those above it, so that it survives a power cut. */
  async function make(directory: string): Promise<void> {
    const first = await calls.mkdir(directory, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = directory; made.length >= first.length; made = posix.dirname(made))
      await flush(posix.dirname(made));
  }

  /** A run that was killed while it wrote may have left it. */
  async function removePart(path: string): Promise<void> {
    await unlessMissing(() => calls.unlink(partOf(path)));
  }

  async function write(path: string, text: string): Promise<void> {
    const directory = posix.dirname(path);
    await make(directory);
    const part = partOf(path);
    await removePart(path);
    try {
      const handle = await calls.open(part, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, OWNER_ONLY);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await calls.rename(part, path);
    } catch (error) {
      await removePart(path);
      throw error;
    }
    await flush(directory);
  }

  async function move(from: string, to: string): Promise<void> {
    await make(posix.dirname(to));
    await calls.rename(from, to);
    await removePart(from);
    await removePart(to);
    await flush(posix.dirname(to));
    await flush(posix.dirname(from));
    await removeIfEmpty(posix.dirname(from));
  }

  async function remove(path: string): Promise<void> {
    await removePart(path);
    await rm(path, { recursive: true, force: true });
    await unlessMissing(() => flush(posix.dirname(path)));
    await removeIfEmpty(posix.dirname(path));
  }

  async function removeIfEmpty(directory: string): Promise<void> {
    if (!own.has(directory)) return;
    try {
      await calls.rmdir(directory);
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) throw error;
    }
  }

  return {
    stat: (path) => nodeFiles.stat(path),
    read: (path) => nodeFiles.read(path),
    list: async (directory) => {
      const entries = await readdir(directory, { withFileTypes: true });
      const files = await Promise.all(
        entries.map(async (entry) => ((await isFile(directory, entry)) ? [entry.name] : [])),
      );
      return files.flat().toSorted();
    },
    linkOf: async (path) => {
      try {
        return await readlink(path);
      } catch (error) {
        if (['EINVAL', 'ENOENT'].includes(systemCode(error) ?? '')) return undefined;
        throw error;
      }
    },
    write,
    move,
    remove,
  };
}

/** A link to a file is one, and one that leads nowhere is one that cannot be read. */
async function isFile(
  directory: string,
  entry: { readonly name: string; isFile(): boolean; isSymbolicLink(): boolean },
) {
  if (!entry.isSymbolicLink()) return entry.isFile();
  try {
    return (await stat(posix.join(directory, entry.name))).isFile();
  } catch {
    return true;
  }
}

/** Beside the file, since only within one file system a rename is whole; the kubelet reads no file whose name begins so. */
export function partOf(path: string): string {
  return posix.join(posix.dirname(path), `.${posix.basename(path)}.bootlace`);
}

async function unlessMissing(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
