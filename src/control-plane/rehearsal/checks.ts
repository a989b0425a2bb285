import { createMemoryFiles } from '../../cluster/simulated/files.ts';
import { MANIFESTS_DIRECTORY } from '../../cluster/simulated/kubelet/manifests.ts';
import { UsageError } from '../../core/errors.ts';
import { compareCodeUnits } from '../../core/problem.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../selfhosting/labels.ts';
import { folderProblems } from '../strategies/folder.ts';
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
  return [...problems, ...folderProblems(MANIFESTS_DIRECTORY, texts, errors, problems)];
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
