import type { AnyObject, Kind, ObjectOf } from '../api.ts';

/** A change of one object. */
export interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The object as it is now; for a deletion as it was last, with the version of the deletion. */
  readonly object: AnyObject;
  /** What it was before; absent for one that is new. */
  readonly before?: AnyObject;
}

/** What etcd holds: objects with their versions, and their changes in order. Objects are frozen and may be shared. */
export interface Store {
  /** Number of the last change. */
  readonly version: number;
  /** How many objects there are. */
  readonly count: number;
  get<K extends Kind>(kind: K, namespace: string | undefined, name: string): ObjectOf<K> | undefined;
  /** In the order of namespace and name. */
  list<K extends Kind>(kind: K): readonly ObjectOf<K>[];
  put<T extends AnyObject>(object: T): T;
  remove(object: AnyObject): void;
  /** Changes behind a version. */
  since(version: number): readonly Change[];
  /** Tells of each change, at once. Returns what ends that. */
  onChange(listener: (change: Change) => void): () => void;
}

export function createStore(): Store {
  const objects = new Map<Kind, Map<string, AnyObject>>();
  const changes: Change[] = [];
  const listeners = new Set<(change: Change) => void>();
  /** Lists as they were last asked for, until something of their kind changes. */
  const lists = new Map<Kind, readonly AnyObject[]>();

  function note(type: Change['type'], object: AnyObject, before?: AnyObject): void {
    const change = { version: changes.length + 1, type, object, ...(before && { before }) };
    changes.push(change);
    lists.delete(object.kind);
    for (const listener of listeners) listener(change);
  }

  function ofKind(kind: Kind): Map<string, AnyObject> {
    let found = objects.get(kind);
    if (found === undefined) objects.set(kind, (found = new Map()));
    return found;
  }

  return {
    get version() {
      return changes.length;
    },
    get count() {
      return [...objects.values()].reduce((sum, { size }) => sum + size, 0);
    },
    get: <K extends Kind>(kind: K, namespace: string | undefined, name: string) =>
      ofKind(kind).get(keyOf(namespace, name)) as ObjectOf<K> | undefined,
    list: <K extends Kind>(kind: K) => {
      let list = lists.get(kind);
      if (list === undefined) {
        list = [...ofKind(kind)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
        lists.set(kind, list);
      }
      return list as readonly ObjectOf<K>[];
    },
    put: (object) => {
      const key = keyOf(object.metadata.namespace, object.metadata.name ?? '');
      const before = ofKind(object.kind).get(key);
      const stored = withVersion(object, changes.length + 1);
      ofKind(object.kind).set(key, stored);
      note(before ? 'MODIFIED' : 'ADDED', stored, before);
      return stored;
    },
    remove: (object) => {
      const key = keyOf(object.metadata.namespace, object.metadata.name ?? '');
      const before = ofKind(object.kind).get(key);
      if (!before) return;
      ofKind(object.kind).delete(key);
      note('DELETED', withVersion(object, changes.length + 1), before);
    },
    since: (version) => changes.slice(version),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

export function withVersion<T extends AnyObject>(object: T, version: number): T {
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
}

/** Freezes an object at every depth, down to what is frozen already. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
