import {
  ClusterError,
  type Cluster,
  type ClusterObject,
  type DaemonSetObject,
  type PodObject,
  type SecretObject,
} from '../api.ts';

/** A call as the cluster saw it. */
export interface ClusterCall {
  /** Number of the call, from 0. */
  readonly number: number;
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'health';
  readonly kind: string;
  /** Name of the object, or the label selector of a list. */
  readonly name: string;
}

/** What goes wrong with a call: before it has any effect, or after, as when the answer is lost on the way. */
export interface ClusterFault {
  readonly error: Error;
  readonly when: 'before' | 'after';
}

export interface MemoryClusterSettings {
  /** Asked once for each call. May also change the cluster, as other writers do between two calls. */
  readonly fault?: (call: ClusterCall) => ClusterFault | undefined;
}

/** A cluster in memory, with what a test does to it besides. */
export interface MemoryCluster extends Cluster {
  readonly calls: readonly ClusterCall[];
  /** Stores an object as another writer would: the kubelet a mirror Pod, a controller the Pod of a DaemonSet. */
  put(object: ClusterObject): void;
  remove(kind: string, namespace: string, name: string): void;
  /** The stored object, or nothing. */
  find(kind: string, namespace: string, name: string): ClusterObject | undefined;
  setHealthy(healthy: boolean): void;
}

/** An API server without controllers: it keeps objects and their versions, and nothing happens by itself. */
export function createMemoryCluster({ fault }: MemoryClusterSettings = {}): MemoryCluster {
  const calls: ClusterCall[] = [];
  const objects = new Map<string, ClusterObject>();
  let version = 0;
  let healthy = true;

  async function call<T>(verb: ClusterCall['verb'], kind: string, name: string, answer: () => T): Promise<T> {
    const made = { number: calls.length, verb, kind, name };
    calls.push(made);
    const found = fault?.(made);
    if (found?.when === 'before') throw found.error;
    const result = structuredClone(answer());
    if (found) throw found.error;
    return result;
  }

  function store<T extends ClusterObject>(object: T): T {
    version += 1;
    const stored = structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    objects.set(keyOf(object.kind, object.metadata.namespace, object.metadata.name), stored);
    return stored;
  }

  function get<T extends ClusterObject>(kind: T['kind'], namespace: string, name: string): Promise<T> {
    return call('get', kind, name, () => {
      const found = objects.get(keyOf(kind, namespace, name));
      if (!found) throw new ClusterError('NOT_FOUND', `${kind} ${name} is not there.`);
      return found as T;
    });
  }

  function create<T extends ClusterObject>(object: T): Promise<T> {
    const { kind, metadata } = object;
    return call('create', kind, nameOf(object), () => {
      if (metadata.resourceVersion !== undefined)
        throw new ClusterError('INVALID', `${kind} ${metadata.name} has a resourceVersion before it exists.`);
      if (objects.has(keyOf(kind, metadata.namespace, metadata.name)))
        throw new ClusterError('ALREADY_EXISTS', `${kind} ${metadata.name} exists already.`);
      return store(object);
    });
  }

  function update<T extends ClusterObject>(object: T): Promise<T> {
    const { kind, metadata } = object;
    return call('update', kind, nameOf(object), () => {
      const current = objects.get(keyOf(kind, metadata.namespace, metadata.name));
      if (!current) throw new ClusterError('NOT_FOUND', `${kind} ${metadata.name} is not there.`);
      const expected = metadata.resourceVersion;
      if (expected !== undefined && expected !== current.metadata.resourceVersion)
        throw new ClusterError('CONFLICT', `${kind} ${metadata.name} has changed since version ${expected}.`);
      return store(object);
    });
  }

  return {
    calls,
    put: (object) => void store(object),
    remove: (kind, namespace, name) => void objects.delete(keyOf(kind, namespace, name)),
    find: (kind, namespace, name) => structuredClone(objects.get(keyOf(kind, namespace, name))),
    setHealthy: (value) => {
      healthy = value;
    },
    getDaemonSet: (namespace, name) => get<DaemonSetObject>('DaemonSet', namespace, name),
    createDaemonSet: create<DaemonSetObject>,
    updateDaemonSet: update<DaemonSetObject>,
    createSecret: async (secret) => void (await create<SecretObject>(secret)),
    updateSecret: async (secret) => void (await update<SecretObject>(secret)),
    getPod: (namespace, name) => get<PodObject>('Pod', namespace, name),
    listPods: (namespace, labelSelector) =>
      call('list', 'Pod', labelSelector, () =>
        [...objects.values()].filter(
          (object): object is PodObject =>
            object.kind === 'Pod' && object.metadata.namespace === namespace && matches(object, labelSelector),
        ),
      ),
    isHealthy: () => call('health', '', '/healthz', () => healthy),
  };
}

function keyOf(kind: string, namespace: string | undefined, name: string | undefined): string {
  // None of the three can hold a slash.
  return `${kind}/${namespace ?? ''}/${name ?? ''}`;
}

function nameOf({ metadata }: ClusterObject): string {
  return metadata.name ?? '';
}

/** Whether an object has every label of a selector of the form `key=value,key=value`. */
function matches({ metadata }: ClusterObject, labelSelector: string): boolean {
  const labels = metadata.labels ?? {};
  return labelSelector.split(',').every((term) => {
    const [key = '', value] = term.split('=');
    return Object.hasOwn(labels, key) && labels[key] === value;
  });
}
