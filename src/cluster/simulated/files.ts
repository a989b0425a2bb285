import type { Files } from '../files.ts';

/** Files in memory: paths and texts, without directories. */
export interface MemoryFiles extends Files {
  /** The paths that are there, in the order in which they came. */
  paths(): string[];
}

export type FileOperation = keyof Files;

/**
 * Files that exist in memory alone. `fault` is asked before each operation, and what it returns is thrown.
 */
export function createMemoryFiles(
  texts: Readonly<Record<string, string>>,
  fault: (operation: FileOperation, path: string) => Error | undefined = () => undefined,
): MemoryFiles {
  const files = new Map(Object.entries(texts));

  function textOf(operation: FileOperation, path: string): string {
    const error = fault(operation, path);
    if (error) throw error;
    const text = files.get(path);
    if (text === undefined) throw fileError('ENOENT', operation, path);
    return text;
  }

  return {
    paths: () => [...files.keys()],
    stat: async (path) => ({ size: textOf('stat', path).length }),
    read: async (path) => Buffer.from(textOf('read', path)),
    remove: async (path) => {
      const error = fault('remove', path);
      if (error) throw error;
      files.delete(path);
    },
  };
}

/** An error as Node throws it for a file. */
export function fileError(code: string, operation: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${operation} '${path}'`), { code, path });
}
