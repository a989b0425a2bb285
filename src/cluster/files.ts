import { readFile, rm, stat } from 'node:fs/promises';

/** The files of the node, as far as they are needed. Errors are those of Node, with a `code` such as `ENOENT`. */
export interface Files {
  /** Throws where the path does not exist or may not be looked at. */
  stat(path: string): Promise<unknown>;
  read(path: string): Promise<Uint8Array>;
  /** Removes a file, or a directory with all that is in it. It is no error when there is nothing. */
  remove(path: string): Promise<void>;
}

/** The files of this machine. */
export const nodeFiles: Files = {
  stat: (path) => stat(path),
  read: (path) => readFile(path),
  remove: (path) => rm(path, { recursive: true, force: true }),
};
