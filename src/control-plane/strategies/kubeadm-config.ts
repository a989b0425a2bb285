import type { Cluster, ConfigMapObject } from '../../cluster/api.ts';
import { isClusterError } from '../../cluster/api.ts';
import { isMapping } from '../../core/mapping.ts';
import { isSame } from '../../core/same.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import type { RollEdits } from './edits.ts';
import { StepError, type Step } from './steps.ts';

/** Where kubeadm keeps what it writes manifests from: the next upgrade loses every flag that is not there. */
const REFERENCE = { kind: 'ConfigMap', namespace: 'kube-system', name: 'kubeadm-config' } as const;
const KEY = 'ClusterConfiguration';

/** The configuration of kubeadm before an edit and after. */
export interface ConfigEdit {
  readonly before: string;
  readonly after: string;
}

const SECTIONS: Readonly<Record<ControlPlaneComponent, string>> = {
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
  'kube-scheduler': 'scheduler',
};

/** What kubeadm has in the cluster; nothing where there is none. */
export async function readKubeadmConfig(cluster: Cluster): Promise<string | undefined> {
  try {
    return (await cluster.get(REFERENCE)).data?.[KEY];
  } catch (error) {
    if (isClusterError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** An entry of `extraArgs`, as kubeadm has them since v1beta4: a list, so that a flag may stand in it twice. */
interface ExtraArgument {
  readonly name: string;
  readonly value: string;
}

/**
 * The same edit of flags in what kubeadm writes manifests from, in the form in which kubeadm writes it. Nothing where
 * nothing changes, or where the text is no ClusterConfiguration with lists of arguments.
 */
export async function editedKubeadmConfig(
  text: string,
  components: readonly ControlPlaneComponent[],
  { setFlags = {}, removeFlags = [] }: RollEdits,
): Promise<string | undefined> {
  // Loaded when it is used: a program that only plans need not have it.
  const [{ parseDocuments }, { printYaml }] = await Promise.all([
    import('../../format/documents.ts'),
    import('../../format/yaml.ts'),
  ]);
  const { value, problems = [] } = parseDocuments(text)[0] ?? {};
  if (problems.length > 0 || !isMapping(value) || value['kind'] !== KEY) return undefined;
  if (!String(value['apiVersion']).endsWith('/v1beta4')) return undefined;
  let edited: Readonly<Record<string, unknown>> = value;
  for (const component of components) {
    const section = edited[SECTIONS[component]] ?? {};
    const before = isMapping(section) ? (section['extraArgs'] ?? []) : undefined;
    if (!isMapping(section) || !isArguments(before)) return undefined;
    const kept = before.filter(({ name }) => !removeFlags.includes(name));
    const set = Object.entries(setFlags).reduce<readonly ExtraArgument[]>(
      (list, [name, to]) => withArgument(list, name, to),
      kept,
    );
    if (set.length > 0 || before.length > 0)
      edited = { ...edited, [SECTIONS[component]]: { ...section, extraArgs: set } };
  }
  return isSame(edited, value) ? undefined : printYaml(edited);
}

/** The last one counts for a flag with one value, and is the one that changes. */
function withArgument(list: readonly ExtraArgument[], name: string, value: string): readonly ExtraArgument[] {
  const index = list.findLastIndex((entry) => entry.name === name);
  return index < 0 ? [...list, { name, value }] : list.with(index, { name, value });
}

function isArguments(value: unknown): value is readonly ExtraArgument[] {
  return (
    Array.isArray(value) &&
    value.every((entry) => isMapping(entry) && typeof entry['name'] === 'string' && typeof entry['value'] === 'string')
  );
}

/** Makes the edit where kubeadm keeps its configuration. */
export function kubeadmConfigStep({ cluster, host }: StrategyContext, { before, after }: ConfigEdit): Step {
  /** Puts one text in the place of the other; a text of somebody else stays. */
  async function swap(from: string, to: string): Promise<boolean> {
    const found: ConfigMapObject = await cluster.get(REFERENCE);
    const text = found.data?.[KEY];
    if (text === to) return true;
    if (text !== from) return false;
    await cluster.update({ ...found, data: { ...found.data, [KEY]: to } }, { fieldManager: 'bootlace' });
    return true;
  }

  return {
    name: `${host.nodeName}/kubeadm-config`,
    title: 'make the same edit where kubeadm writes manifests from, so that its next upgrade keeps it',
    about: {
      proves: 'the ConfigMap holds the edit',
      back: 'put the former text back, if nobody has changed it',
      seconds: 1,
    },
    run: async () => {
      if (!(await swap(before, after)))
        throw new StepError(
          'STEP_FAILED',
          'The configuration of kubeadm is not any more what it was when the run was planned.',
        );
    },
    undo: async () => void (await swap(after, before)),
  };
}
