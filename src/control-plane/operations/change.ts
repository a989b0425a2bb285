import { hasErrors, type Problem } from '../../core/problem.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../selfhosting/labels.ts';
import { DEFAULT_RELAY_PORT } from '../selfhosting/modern/relay-options.ts';
import type { StrategyContext } from '../strategies/context.ts';
import { editedPod, type RollEdits } from '../strategies/edits.ts';
import { takeInventory } from '../strategies/inventory.ts';
import { editedKubeadmConfig, readKubeadmConfig, type ConfigEdit } from '../strategies/kubeadm-config.ts';
import { MANIFESTS_DIR, type PlacedProblem, type Station } from './station.ts';

/** All components of the node become self-hosted. */
export interface PivotChange {
  readonly verb: 'pivot';
  /** Default: 6444. */
  readonly relayPort?: number;
  /** Whether etcd is saved before anything changes. Default: true. */
  readonly snapshot?: boolean;
}

/** Components get another definition, or just another process, and stay what they are. */
export interface RollChange {
  readonly verb: 'roll';
  readonly components: readonly ControlPlaneComponent[];
  /** Nothing in it is a restart. */
  readonly edits: RollEdits;
  /** Takes what two API servers should agree in. Default: false. */
  readonly force?: boolean;
  /** Makes the same edit where kubeadm keeps its configuration. Default: false. */
  readonly updateKubeadmConfig?: boolean;
  readonly relayPort?: number;
  readonly snapshot?: boolean;
}

export type Change = PivotChange | RollChange;

export interface Prepared {
  /** Absent where a problem is an error. */
  readonly context?: StrategyContext;
  /** The edit of a roll where kubeadm keeps its configuration, whether or not it is made. */
  readonly kubeadmConfig?: ConfigEdit;
  readonly problems: readonly PlacedProblem[];
}

/** What a change starts from and leads to, as far as the node and the cluster say. It changes nothing. */
export async function prepare(station: Station, change: Change): Promise<Prepared> {
  const { manifestsDir = MANIFESTS_DIR, ...node } = station;
  const components = change.verb === 'pivot' ? CONTROL_PLANE_COMPONENTS : change.components;
  const { context: found, problems: files } = await takeInventory({
    ...node,
    manifestsDir,
    components,
    relayPort: change.relayPort ?? DEFAULT_RELAY_PORT,
    log: () => {},
  });
  const problems: PlacedProblem[] = files.map(({ file, ...problem }) => ({ ...problem, place: file }));
  if (found === undefined) return { problems };
  const context = { ...found, hasSnapshot: change.snapshot ?? true };
  const placed =
    (component: ControlPlaneComponent) =>
    (problem: Problem): PlacedProblem => ({ ...problem, place: context.manifests[component].path });

  if (change.verb === 'pivot') {
    const hosted = components.filter((component) => context.manifests[component].hosted);
    problems.push(...hosted.map((component) => placed(component)(alreadyHosted(component))));
    return { ...(!hasErrors(problems) && { context }), problems };
  }
  const edited = components.map((component) => ({
    component,
    ...editedPod(context.manifests[component], component, change.edits, change.force),
  }));
  for (const { component, problems: own } of edited)
    problems.push(...own.map(({ component: _component, ...problem }) => placed(component)(problem)));
  if (hasErrors(problems)) return { problems };
  const definitions = Object.fromEntries(edited.map(({ component, pod }) => [component, pod!]));
  const kubeadmConfig = await configEdit(station, change);
  if (kubeadmConfig !== undefined && !change.updateKubeadmConfig) problems.push(CONFIG_DIFFERS);
  return {
    context: {
      ...context,
      definitions,
      ...(change.updateKubeadmConfig && kubeadmConfig && { kubeadmConfig }),
    },
    ...(kubeadmConfig && { kubeadmConfig }),
    problems,
  };
}

async function configEdit({ cluster }: Station, { components, edits }: RollChange): Promise<ConfigEdit | undefined> {
  const before = await readKubeadmConfig(cluster);
  const after = before === undefined ? undefined : await editedKubeadmConfig(before, components, edits);
  return before === undefined || after === undefined ? undefined : { before, after };
}

const CONFIG_DIFFERS: PlacedProblem = {
  severity: 'warning',
  code: 'KUBEADM_CONFIG_DIFFERS',
  path: '',
  message: 'kubeadm writes manifests from its own configuration, where this edit is not: its next upgrade loses it.',
  hint: 'Give --update-kubeadm-config, or make the edit there that the plan shows.',
  place: 'ConfigMap kube-system/kubeadm-config',
};

function alreadyHosted(component: ControlPlaneComponent): Problem {
  return {
    severity: 'error',
    code: 'ALREADY_HOSTED',
    path: '',
    message: `The cluster hosts ${component} on this node already.`,
    hint: '`bootlace control-plane status` says what runs, `rollback` goes back to static Pods.',
  };
}
