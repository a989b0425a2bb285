import { ProblemList, type Problem, type Source } from '../core/problem.ts';
import type { Pod } from '../cluster/objects.ts';
import type { ControlPlaneComponent } from './selfhosting/labels.ts';
import { checkPod, MANIFEST_HINT, subjectOf } from './subject.ts';

/** A manifest that was read: one static Pod of one component, or the problems for which it is none. */
export interface Manifest {
  /** Absent when a problem is an error. */
  readonly pod?: Pod;
  readonly component?: ControlPlaneComponent;
  /** Where things stand in the text, for the problems that are found later. */
  readonly source?: Source;
  readonly problems: readonly Problem[];
}

/** What a document of a file comes to; `parseDocuments` gives these. */
interface ManifestDocument {
  readonly value: unknown;
  readonly source: Source;
  readonly problems: readonly Problem[];
}

/** Reads the text of a manifest, YAML or JSON. The parser is loaded for it: js-yaml, which only this needs. */
export async function parseManifest(text: string): Promise<Manifest> {
  const { parseDocuments } = await import('../format/documents.ts');
  return readManifest(parseDocuments(text));
}

/** Reads a manifest from the documents of its file: refuses all that is not one static Pod of a known component. */
export function readManifest(documents: readonly ManifestDocument[]): Manifest {
  const [first, second] = documents;
  if (second !== undefined) {
    const problems = new ProblemList(false, second.source);
    problems.error(
      'MANIFEST_DOCUMENTS',
      '',
      `The file holds ${documents.length} documents; the kubelet reads one.`,
      'Give each manifest in a file of its own.',
    );
    return { source: second.source, problems: problems.sorted() };
  }
  if (first === undefined) return { problems: [] };
  if (first.problems.length > 0) return { source: first.source, problems: first.problems.map(aboutManifest) };
  const problems = new ProblemList(false, first.source);
  const pod = checkPod(first.value, problems);
  const subject = pod && subjectOf(pod, problems);
  return {
    ...(pod && subject && !problems.hasErrors && { pod, component: subject.component }),
    source: first.source,
    problems: problems.sorted(),
  };
}

// Whoever gives an empty file wants to hear which file is meant; the reader of documents does not know.
function aboutManifest(problem: Problem): Problem {
  return problem.code === 'DOCUMENT_EMPTY' ? { ...problem, hint: MANIFEST_HINT } : problem;
}
