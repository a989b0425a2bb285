import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { readText } from '../input.ts';

/** The manifests of a node, as they were read from a directory. */
export interface ManifestDirectory {
  readonly manifests: Readonly<Record<string, string>>;
  readonly unreadable: Readonly<Record<string, Error>>;
}

/** Texts of the files in a directory by their names. Hidden ones and directories are nothing to the kubelet either. */
export function readDirectory(directory: string): ManifestDirectory {
  const manifests: Record<string, string> = {};
  const unreadable: Record<string, Error> = {};
  for (const name of namesIn(directory)) {
    try {
      if (name.startsWith('.') || statSync(join(directory, name)).isDirectory()) continue;
      manifests[name] = readText(join(directory, name));
    } catch (error) {
      unreadable[name] = error as Error;
    }
  }
  return { manifests, unreadable };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted((a, b) => (a < b ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `the directory ${JSON.stringify(directory)} cannot be read (${code})`,
      'Name the directory with the manifests of kubeadm, or a copy of it that you may read.',
    );
  }
}
