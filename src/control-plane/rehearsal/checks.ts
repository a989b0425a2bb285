import { createMemoryFiles } from '../../cluster/simulated/files.ts';
import { MANIFESTS_DIRECTORY } from '../../cluster/simulated/kubelet/manifests.ts';
import { UsageError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { compareCodeUnits } from '../../core/problem.ts';
import { quoted, reasonOf } from '../../core/redact.ts';
import { parseDocuments } from '../../format/documents.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../selfhosting/labels.ts';
import { readManifests, type FileProblem } from '../strategies/inventory.ts';
import { STRATEGY_NAMES } from '../strategies/strategies.ts';
import { FAULT_NAMES } from './faults.ts';
import type { RehearsalSettings } from './rehearse.ts';

/** What is wrong with manifests: found before a cluster is made of them. */
export async function problemsIn(
  manifests: Readonly<Record<string, string>>,
  unreadable: Readonly<Record<string, Error>> = {},
): Promise<readonly FileProblem[]> {
  const pathOf = (name: string): string => `${MANIFESTS_DIRECTORY}/${name}`;
  const texts = Object.entries(manifests)
    .toSorted(([one], [other]) => compareCodeUnits(one, other))
    .map(([name, text]) => [pathOf(name), text] as const);
  const errors = new Map(Object.entries(unreadable).map(([name, error]) => [pathOf(name), error]));
  const files = createMemoryFiles(Object.fromEntries(texts), (_operation, path) => errors.get(path));
  const { problems } = await readManifests(files, MANIFESTS_DIRECTORY);
  const passedOver = [...errors].map(([file, error]) => unreadableFile(file, error));
  // A file whose own fault is known needs no other one.
  const others = [...duplicates(texts), ...noPods(texts), ...passedOver].filter(
    ({ file }) => !problems.some((problem) => problem.file === file),
  );
  return [...problems, ...others];
}

/** Two files of one Pod are a race: a backup that was left in the folder is the usual one. */
function duplicates(texts: readonly (readonly [path: string, text: string])[]): readonly FileProblem[] {
  const first = new Map<string, string>();
  return texts
    .toSorted(([a], [b]) => Number(isBackup(a)) - Number(isBackup(b)) || (a < b ? -1 : 1))
    .flatMap(([file, text]) => {
      const { value } = parseDocuments(text)[0] ?? {};
      const name = isMapping(value) && isMapping(value['metadata']) ? value['metadata']['name'] : undefined;
      if (typeof name !== 'string' || file.slice(MANIFESTS_DIRECTORY.length + 1).startsWith('.')) return [];
      const other = first.get(name);
      if (other === undefined) first.set(name, file);
      return other === undefined
        ? []
        : [
            {
              severity: 'error',
              code: 'MANIFEST_DUPLICATE',
              path: '/metadata/name',
              message: `${quoted(name)} is also the Pod of ${other.slice(MANIFESTS_DIRECTORY.length + 1)}: the kubelet reads every file, whatever its name ends with.`,
              hint: 'Move one of the two out of the folder.',
              file,
            } as const,
          ];
    });
}

/** Files that the kubelet reads and makes nothing of. */
function noPods(texts: readonly (readonly [path: string, text: string])[]): readonly FileProblem[] {
  return texts.flatMap(([file, text]) => {
    const { value, problems = [] } = parseDocuments(text)[0] ?? {};
    const isPod = problems.length === 0 && isMapping(value) && value['kind'] === 'Pod';
    if (isPod || file.slice(MANIFESTS_DIRECTORY.length + 1).startsWith('.')) return [];
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

function unreadableFile(file: string, error: Error): FileProblem {
  return {
    severity: 'warning',
    code: 'DOCUMENT_UNREADABLE',
    path: '',
    message: `The file is passed over: ${reasonOf(error)}.`,
    hint: 'The rehearsal goes on without it.',
    file,
  };
}

export function notServing(message: string): FileProblem {
  return {
    severity: 'error',
    code: 'CLUSTER_NOT_SERVING',
    path: '',
    message,
    hint: 'Correct the manifest of that Pod; the simulated cluster says what it does not model.',
    file: MANIFESTS_DIRECTORY,
  };
}

const MOST_NODES = 9;

/** Throws a UsageError for settings that mean nothing. */
export function checkSettings(settings: RehearsalSettings): void {
  const { strategy, nodes = 1, seed = 1, components, fault, afterwards } = settings;
  if (strategy !== undefined && !STRATEGY_NAMES.includes(strategy))
    throw new UsageError(`there is no strategy ${JSON.stringify(strategy)}`, `Known: ${STRATEGY_NAMES.join(', ')}.`);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MOST_NODES)
    throw new UsageError(`${nodes} nodes cannot be rehearsed`, `Take 1 to ${MOST_NODES}.`);
  if (!Number.isInteger(seed) || seed < 0) throw new UsageError(`${seed} is no seed`, 'Take a whole number from 0 on.');
  if (fault !== undefined && !FAULT_NAMES.includes(fault.name))
    throw new UsageError(`there is no fault ${JSON.stringify(fault.name)}`, `Known: ${FAULT_NAMES.join(', ')}.`);
  if (afterwards !== undefined && afterwards !== 'resume' && afterwards !== 'rollback')
    throw new UsageError(`there is no way ${JSON.stringify(afterwards)}`, 'Known: resume, rollback.');
  if (components !== undefined) checkComponents(components);
}

function checkComponents(components: readonly ControlPlaneComponent[]): void {
  if (components.length === 0) throw new UsageError('no component is named', 'Name one, or leave them out for all.');
  const unknown = components.find((name) => !CONTROL_PLANE_COMPONENTS.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `there is no component ${JSON.stringify(unknown)}`,
      `Known: ${CONTROL_PLANE_COMPONENTS.join(', ')}.`,
    );
  if (new Set(components).size < components.length)
    throw new UsageError('a component is named twice', 'Name each component once.');
}
