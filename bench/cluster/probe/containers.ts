/** Containers of a node at one moment, from `crictl ps --all -o json`. */
export interface ContainerState {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
  /** How often the kubelet has started it again in this Pod. */
  readonly attempt: number;
}

/** Containers by node. Nothing where a node could not be asked, as when it is off. */
export type ContainersByNode = ReadonlyMap<string, readonly ContainerState[] | undefined>;

export interface ContainerRestarts {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Restarts while the probe ran; unknown when its node could not be asked before or after. */
  readonly restarts: number | null;
  /** Whether the Pod, or its successor of the same name, came while the probe ran. */
  readonly isNew: boolean;
}

interface CrictlContainer {
  readonly metadata: { readonly name: string; readonly attempt?: number };
  readonly labels: Readonly<Record<string, string>>;
}

export function parseContainers(node: string, json: string): ContainerState[] {
  const { containers } = JSON.parse(json) as { containers: readonly CrictlContainer[] };
  return containers.map(({ metadata, labels }) => ({
    node,
    namespace: labels['io.kubernetes.pod.namespace'] ?? '',
    pod: labels['io.kubernetes.pod.name'] ?? '',
    uid: labels['io.kubernetes.pod.uid'] ?? '',
    container: metadata.name,
    attempt: metadata.attempt ?? 0,
  }));
}

/** How often each container was restarted, by node, namespace, Pod and name. */
export function countRestarts(before: ContainersByNode, after: ContainersByNode): ContainerRestarts[] {
  return [...after]
    .flatMap(([node, states]) => restartsOn(before.get(node), states))
    .toSorted((a, b) => compare(nameOf(a), nameOf(b)));
}

function restartsOn(
  before: readonly ContainerState[] | undefined,
  after: readonly ContainerState[] | undefined,
): ContainerRestarts[] {
  const earlier = latest(before ?? []);
  const isKnown = before !== undefined && after !== undefined;
  return [...latest(after ?? before ?? []).values()].map((state) => {
    const { node, namespace, pod, container, attempt } = state;
    const first = earlier.get(keyOf(state));
    const restarts = isKnown ? attempt - (first?.attempt ?? 0) : null;
    return { node, namespace, pod, container, restarts, isNew: isKnown && first === undefined };
  });
}

/** Of each container the last attempt: dead ones are listed beside the one that replaced them. */
function latest(states: readonly ContainerState[]): ReadonlyMap<string, ContainerState> {
  const found = new Map<string, ContainerState>();
  for (const state of states) {
    if (state.attempt >= (found.get(keyOf(state))?.attempt ?? 0)) found.set(keyOf(state), state);
  }
  return found;
}

function keyOf({ uid, container }: ContainerState): string {
  return `${uid}/${container}`;
}

function nameOf({ node, namespace, pod, container }: ContainerRestarts): string {
  return `${node}/${namespace}/${pod}/${container}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
