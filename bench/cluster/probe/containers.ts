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

export interface ContainerRestarts {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Restarts while the probe ran. */
  readonly restarts: number;
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

/** How often each container that is there at the end was restarted, by node, namespace, Pod and name. */
export function countRestarts(
  before: readonly ContainerState[],
  after: readonly ContainerState[],
): ContainerRestarts[] {
  const key = ({ node, uid, container }: ContainerState): string => `${node}/${uid}/${container}`;
  // Dead containers are listed beside the one that replaced them.
  const latest = (states: readonly ContainerState[]): Map<string, ContainerState> => {
    const found = new Map<string, ContainerState>();
    for (const state of states)
      if (state.attempt >= (found.get(key(state))?.attempt ?? 0)) found.set(key(state), state);
    return found;
  };
  const earlier = latest(before);
  return [...latest(after).values()]
    .map((state) => ({
      node: state.node,
      namespace: state.namespace,
      pod: state.pod,
      container: state.container,
      restarts: state.attempt - (earlier.get(key(state))?.attempt ?? 0),
      isNew: !earlier.has(key(state)),
    }))
    .toSorted((a, b) =>
      compare(`${a.node}/${a.namespace}/${a.pod}/${a.container}`, `${b.node}/${b.namespace}/${b.pod}/${b.container}`),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
