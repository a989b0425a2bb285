import type { Files } from '../../cluster/files.ts';
import { isMapping } from '../../core/mapping.ts';
import type { Pod } from '../../cluster/objects.ts';
import { SelfHostingError } from './errors.ts';

/**
 * Reads the manifest of a static Pod. Throws `FILE_UNREADABLE`, or `MANIFEST_INVALID` for anything but one Pod; no
 * message shows what is in the file.
 */
export async function readStaticPod(files: Files, path: string): Promise<Pod> {
  let bytes: Uint8Array;
  try {
    bytes = await files.read(path);
  } catch (cause) {
    throw new SelfHostingError('FILE_UNREADABLE', `The manifest ${path} cannot be read.`, { cause });
  }
  return parseStaticPod(new TextDecoder().decode(bytes), path);
}

/** The Pod in a text, which `path` names in messages. */
export async function parseStaticPod(text: string, path: string): Promise<Pod> {
  if (text.trim() === '') throw invalid(path, 'it is empty');
  // Loaded here and not above: it brings a YAML parser, and a program that builds DaemonSets alone needs none.
  const { parseDocuments } = await import('../../format/documents.ts');
  // A `---` at the end makes a document with nothing in it, which nobody means.
  const documents = parseDocuments(text).filter(({ problems }) => problems[0]?.code !== 'DOCUMENT_EMPTY');
  const problem = documents.flatMap(({ problems }) => problems)[0];
  if (problem) throw invalid(path, `at line ${problem.line ?? 1} it is not readable as YAML or JSON`);
  if (documents.length > 1) throw invalid(path, `it holds ${documents.length} documents`);
  const value = documents[0]?.value;
  if (isPod(value)) return value;
  throw invalid(path, 'it is no Pod of version v1 with a spec, in which containers and volumes are lists of mappings');
}

function isPod(value: unknown): value is Pod {
  if (!isMapping(value) || value['kind'] !== 'Pod' || value['apiVersion'] !== 'v1') return false;
  const { metadata, spec } = value;
  if (!(metadata === undefined || metadata === null || isMapping(metadata)) || !isMapping(spec)) return false;
  return ['containers', 'volumes'].every((field) => isListOfMappings(spec[field]));
}

function isListOfMappings(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isMapping));
}

function invalid(path: string, reason: string): SelfHostingError {
  return new SelfHostingError('MANIFEST_INVALID', `The manifest ${path} is not that of a static Pod: ${reason}.`);
}
