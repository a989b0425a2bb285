import { isMapping } from '../../core/mapping.ts';
import { quoted, reasonOf } from '../../core/redact.ts';
import { parseDocuments } from '../../format/documents.ts';
import type { FileProblem } from './inventory.ts';

type Texts = readonly (readonly [path: string, text: string])[];

/**
 * What is wrong with a folder of manifests beyond the manifests of the control plane themselves, of which `known` tells:
 * a file whose own fault is known needs no other one.
 */
export function folderProblems(
  directory: string,
  texts: Texts,
  errors: ReadonlyMap<string, unknown>,
  known: readonly FileProblem[],
): readonly FileProblem[] {
  const passedOver = [...errors].map(([file, error]) => unreadableFile(file, error));
  return [...duplicates(directory, texts), ...noPods(directory, texts), ...passedOver].filter(
    ({ file }) => !known.some((problem) => problem.file === file),
  );
}

/** Two files of one Pod are a race: a backup that was left in the folder is the usual one. */
function duplicates(directory: string, texts: Texts): readonly FileProblem[] {
  const first = new Map<string, string>();
  return texts
    .toSorted(([a], [b]) => Number(isBackup(a)) - Number(isBackup(b)) || (a < b ? -1 : 1))
    .flatMap(([file, text]) => {
      const { value } = parseDocuments(text)[0] ?? {};
      const name = isMapping(value) && isMapping(value['metadata']) ? value['metadata']['name'] : undefined;
      if (typeof name !== 'string' || file.slice(directory.length + 1).startsWith('.')) return [];
      const other = first.get(name);
      if (other === undefined) first.set(name, file);
      return other === undefined
        ? []
        : [
            {
              severity: 'error',
              code: 'MANIFEST_DUPLICATE',
              path: '/metadata/name',
              message: `${quoted(name)} is also the Pod of ${other.slice(directory.length + 1)}: the kubelet reads every file, whatever its name ends with.`,
              hint: 'Move one of the two out of the folder.',
              file,
            } as const,
          ];
    });
}

/** Files that the kubelet reads and makes nothing of. */
function noPods(directory: string, texts: Texts): readonly FileProblem[] {
  return texts.flatMap(([file, text]) => {
    const { value, problems = [] } = parseDocuments(text)[0] ?? {};
    const isPod = problems.length === 0 && isMapping(value) && value['kind'] === 'Pod';
    if (isPod || file.slice(directory.length + 1).startsWith('.')) return [];
    return [
      {
        severity: 'warning',
        code: 'MANIFEST_KIND',
        path: '',
        message: 'The file holds no Pod, and the kubelet passes it over.',
        hint: 'Move it out of the folder, or correct it.',
        file,
      } as const,
    ];
  });
}

function isBackup(path: string): boolean {
  return !path.endsWith('.yaml');
}

function unreadableFile(file: string, error: unknown): FileProblem {
  return {
    severity: 'warning',
    code: 'DOCUMENT_UNREADABLE',
    path: '',
    message: `The file is passed over: ${reasonOf(error)}.`,
    hint: 'Nothing goes by it; the kubelet may still read it.',
    file,
  };
}
