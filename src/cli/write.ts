import { lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BootlaceError } from '../core/errors.ts';

/**
 * Writes a file so that its path holds either what it held before or all of the text: a new file beside it is
 * written, flushed and renamed. Only the owner may read it, since payloads carry the bootstrap token.
 *
 * @throws BootlaceError with code OUTPUT_FAILED; nothing is left behind then.
 */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const target = await replaceable(path);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    // A killed run may have left one, under a process ID that is ours now.
    await rm(temporary, { force: true });
    const handle = await open(temporary, 'wx', 0o600);
    try {
      // Whatever the umask took away.
      await handle.chmod(0o600);
      await handle.writeFile(text, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new BootlaceError('OUTPUT_FAILED', `cannot write ${path}`, { cause: error });
  }
  await syncDirectory(dirname(target));
}

/**
 * The path that a rename may replace: a link is followed to its file. Renaming over a device such as /dev/null
 * would take it away from the whole machine.
 */
async function replaceable(path: string): Promise<string> {
  let target: string;
  try {
    if (!(await exists(path))) return path;
    target = await realpath(path);
    if ((await stat(target)).isFile()) return target;
  } catch (error) {
    throw new BootlaceError('OUTPUT_FAILED', `cannot look at ${path}, or at what it links to`, { cause: error });
  }
  throw new BootlaceError('OUTPUT_FAILED', `${path} is no regular file, and only files are replaced`);
}

// Of the path itself: a link that leads nowhere, as /dev/stdout does on a pipe, is there.
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

// Some file systems have no directories to flush, and the file is whole all the same.
async function syncDirectory(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EINVAL' && code !== 'EPERM' && code !== 'EACCES' && code !== 'EISDIR') throw error;
  }
}

export async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new BootlaceError('OUTPUT_FAILED', `cannot look at ${path}`, { cause: error });
  }
}

export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new BootlaceError('OUTPUT_FAILED', `cannot make the directory ${path}`, { cause: error });
  }
}
