import type { DaemonSet, PodSpec } from '../../cluster/objects.ts';
import { buildSelfhostedComponentLabels, CONTROL_PLANE_NAMESPACE, selfHostedName } from './labels.ts';

/** A copy that may be written to, at every depth. */
export type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T;

/** The Pod spec that a mutator works on: a copy that belongs to nobody else. */
export type DraftPodSpec = Draft<PodSpec>;

/** Changes a Pod spec in place, so that a DaemonSet can run what was a static Pod. */
export type PodSpecMutatorFunc = (podSpec: DraftPodSpec) => void;

/** Mutators by name of the component, in the order in which they run. */
export type PodSpecMutators = Readonly<Record<string, readonly PodSpecMutatorFunc[]>>;

/**
 * The DaemonSet that hosts a component: its Pod spec after the mutators of that component, under the labels that
 * {@link buildSelfhostedComponentLabels} gives.
 *
 * A component without mutators keeps its Pod spec as it is. Labels and annotations of the static Pod are not asked
 * for and so are lost. The update strategy has no parameters, which leaves the API server's default: one Pod is
 * taken away before its successor starts.
 *
 * The Pod spec is copied first and never changed. Throws what a mutator throws.
 */
export function buildDaemonSet(name: string, podSpec: PodSpec, mutators: PodSpecMutators): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name: selfHostedName(name),
      namespace: CONTROL_PLANE_NAMESPACE,
      labels: buildSelfhostedComponentLabels(name),
    },
    spec: {
      selector: { matchLabels: buildSelfhostedComponentLabels(name) },
      template: {
        metadata: { labels: buildSelfhostedComponentLabels(name) },
        spec: mutatedPodSpec(name, podSpec, mutators),
      },
      updateStrategy: { type: 'RollingUpdate' },
    },
  };
}

function mutatedPodSpec(name: string, podSpec: PodSpec, mutators: PodSpecMutators): PodSpec {
  const draft = unsharedCopy(podSpec);
  // The name may come from a user, and `constructor` is no component.
  const own = Object.hasOwn(mutators, name) ? mutators[name]! : [];
  for (const mutate of own) mutate(draft);
  return draft;
}

// Not structuredClone: that keeps what two containers share, as YAML aliases make it, and a change would reach both.
function unsharedCopy(podSpec: PodSpec): DraftPodSpec {
  return JSON.parse(JSON.stringify(podSpec)) as DraftPodSpec;
}
