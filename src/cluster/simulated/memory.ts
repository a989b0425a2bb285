import { isMapping } from '../../core/mapping.ts';
import {
  ClusterError,
  labelsMatcher,
  type AnyObject,
  type APIServiceObject,
  type Cluster,
  type ClusterObject,
  type Kind,
  type ObjectOf,
  type Reference,
  type Selection,
  type WatchEvent,
  type WatchStart,
} from '../api.ts';
import { groupVersionPath } from '../kubernetes/resources.ts';
import { discoveryOf } from './api/discovery.ts';
import { versionOf } from './version.ts';

/** A call as the cluster saw it. */
export interface ClusterCall {
  /** Number of the call, from 0. */
  readonly number: number;
  /** Reviews and requests for tokens are created. */
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'apply' | 'delete' | 'health';
  /** Empty for what is no object. */
  readonly kind: string;
  /**
   * Name of the object, of the ServiceAccount for a TokenRequest, the label selector of a list or a watch, or the path of
   * what is no object, such as a health check.
   */
  readonly name: string;
}

/**
 * What goes wrong with a call: before it has any effect, or after, as when the answer is lost on the way. After, for a
 * watch, means that it breaks when it has told everything that had happened until then.
 */
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

/** What became of one object. The change at index n of the history led to version n + 1. */
interface Change {
  readonly before: ClusterObject | undefined;
  readonly after: ClusterObject | undefined;
}

type Predicate = (object: ClusterObject) => boolean;

/**
 * An API server without controllers: it keeps objects and their versions, and nothing happens by itself.
 *
 * It is simpler than a real one. Nobody owns a field: an apply merges mappings, replaces lists, takes nothing away and
 * never conflicts with another manager. Nothing is validated, filled in but name, uid and version, or split into spec
 * and status. Every write makes a new version, even one that changes nothing. A deleted object is gone at once, with
 * no grace period, finalizer or propagation to what it owns. No version is ever too old for a watch. Its version is
 * v0.0.0, whoever asks is `kubernetes-admin`, and the tokens that it gives open nothing.
 */
export function createMemoryCluster({ fault }: MemoryClusterSettings = {}): MemoryCluster {
  const calls: ClusterCall[] = [];
  const objects = new Map<string, ClusterObject>();
  const history: Change[] = [];
  const waiting = new Set<() => void>();
  let healthy = true;

  function begin(verb: ClusterCall['verb'], kind: string, name: string): ClusterFault | undefined {
    const made = { number: calls.length, verb, kind, name };
    calls.push(made);
    const found = fault?.(made);
    if (found?.when === 'before') throw found.error;
    return found;
  }

  async function call<T>(verb: ClusterCall['verb'], kind: string, name: string, answer: () => T): Promise<T> {
    const found = begin(verb, kind, name);
    const result = structuredClone(answer());
    if (found) throw found.error;
    return result;
  }

  function found(kind: string, namespace: string | undefined, name: string | undefined): ClusterObject {
    const object = objects.get(keyOf(kind, namespace, name));
    if (!object) throw new ClusterError('NOT_FOUND', `${kind} ${name} is not there.`);
    return object;
  }

  function change(key: string, after: ClusterObject | undefined): void {
    history.push({ before: objects.get(key), after });
    if (after) objects.set(key, after);
    else objects.delete(key);
    for (const wake of waiting) wake();
  }

  /** A copy of the object as it is stored, with a uid of its own or that of the object which it replaces. */
  function store<T extends ClusterObject>(object: T, dryRun = false): T {
    const key = keyOf(object.kind, object.metadata.namespace, object.metadata.name);
    const current = objects.get(key)?.metadata;
    const uid = object.metadata.uid ?? current?.uid ?? uidOf(history.length + 1);
    const resourceVersion = dryRun ? current?.resourceVersion : String(history.length + 1);
    const metadata = { ...object.metadata, uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const stored = structuredClone({ ...object, metadata });
    if (!dryRun) change(key, stored);
    return stored;
  }

  function insert<T extends AnyObject>(object: T, dryRun: boolean): T {
    const { kind, metadata } = object;
    const name = metadata.name ?? (metadata.generateName && `${metadata.generateName}${suffixOf(history.length + 1)}`);
    if (!name) throw new ClusterError('INVALID', `A ${kind} needs a name before it can be stored.`);
    if (metadata.resourceVersion !== undefined)
      throw new ClusterError('INVALID', `${kind} ${name} has a resourceVersion before it exists.`);
    if (objects.has(keyOf(kind, metadata.namespace, name)))
      throw new ClusterError('ALREADY_EXISTS', `${kind} ${name} exists already.`);
    // A uid is never given from outside: what is created again is another object.
    return store({ ...object, metadata: { ...metadata, name, uid: uidOf(history.length + 1) } }, dryRun);
  }

  async function* watch<K extends Kind>(
    selection: Selection<K>,
    { resourceVersion, signal }: WatchStart,
  ): AsyncGenerator<WatchEvent<K>, void, undefined> {
    if (signal?.aborted) return;
    const trouble = begin('watch', selection.kind, selection.labelSelector ?? '');
    if (!/^\d+$/.test(resourceVersion))
      throw new ClusterError('INVALID', `A watch cannot go on from version "${resourceVersion}".`);
    const isSelected = selects(selection);
    for (let version = Number(resourceVersion); ; version += 1) {
      while (version >= history.length) {
        if (trouble) throw trouble.error;
        await nextChange(signal);
        if (signal?.aborted) return;
      }
      const event = eventOf<K>(history[version]!, version + 1, isSelected);
      if (event) yield structuredClone(event);
      if (signal?.aborted) return;
    }
  }

  function nextChange(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  return {
    calls,
    put: (object) => void store(object),
    remove: (kind, namespace, name) => {
      const key = keyOf(kind, namespace, name);
      if (objects.has(key)) change(key, undefined);
    },
    find: (kind, namespace, name) => structuredClone(objects.get(keyOf(kind, namespace, name))),
    setHealthy: (value) => {
      healthy = value;
    },
    get: <K extends Kind>({ kind, namespace, name }: Reference<K>) =>
      call('get', kind, name, () => found(kind, namespace, name) as ObjectOf<K>),
    list: <K extends Kind>(selection: Selection<K>) =>
      call('list', selection.kind, selection.labelSelector ?? '', () => ({
        resourceVersion: String(history.length),
        items: [...objects.values()].filter(selects(selection)) as ObjectOf<K>[],
      })),
    watch,
    create: (object, { dryRun = false } = {}) =>
      call('create', object.kind, nameOf(object), () => insert(object, dryRun)),
    update: (object, { dryRun } = {}) =>
      call('update', object.kind, nameOf(object), () => {
        const { kind, metadata } = object;
        expectSame(found(kind, metadata.namespace, metadata.name), metadata);
        return store(object, dryRun);
      }),
    apply: (object, { dryRun = false }) =>
      call('apply', object.kind, nameOf(object), () => {
        const { kind, metadata } = object;
        const current = objects.get(keyOf(kind, metadata.namespace, metadata.name));
        if (!current) return insert(object, dryRun);
        expectSame(current, metadata);
        return store(merged(current, object) as typeof object, dryRun);
      }),
    delete: ({ kind, namespace, name }, { dryRun = false, preconditions = {} } = {}) =>
      call('delete', kind, name, () => {
        expectSame(found(kind, namespace, name), preconditions);
        if (!dryRun) change(keyOf(kind, namespace, name), undefined);
      }),
    isHealthy: (check = 'healthz') => call('health', '', `/${check}`, () => healthy),
    startedAt: () => call('health', '', '/metrics', () => 0),
    version: () => call('get', '', '/version', () => versionOf('')),
    whoAmI: () => call('create', 'SelfSubjectReview', '', () => 'kubernetes-admin'),
    requestToken: ({ namespace, name }) =>
      call('create', 'TokenRequest', name, () => {
        found('ServiceAccount', namespace, name);
        return `memory-${calls.length}`;
      }),
    discover: async (groupVersion) => {
      const path = groupVersionPath(groupVersion);
      return call('get', '', path, () => {
        const reply = discoveryOf(
          groupVersion,
          (name) => objects.get(keyOf('APIService', undefined, name)) as APIServiceObject | undefined,
        );
        if (reply.code !== undefined) throw new ClusterError(reply.code, `Could not get ${path}: ${reply.message}`);
        return reply.body as readonly string[];
      });
    },
  };
}

/** Throws `CONFLICT` where a version or a uid is asked for that is not the object's. */
function expectSame(
  object: ClusterObject,
  expected: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  for (const field of ['uid', 'resourceVersion'] as const) {
    const wanted = expected[field];
    if (wanted !== undefined && wanted !== object.metadata[field])
      throw new ClusterError('CONFLICT', `${object.kind} ${nameOf(object)} has not the ${field} ${wanted} any more.`);
  }
}

function selects({ kind, namespace, labelSelector }: Selection): Predicate {
  const hasLabels = labelsMatcher(labelSelector);
  return (object) =>
    object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace) && hasLabels(object);
}

/** What a watch tells of a change: an object that loses a label is as good as deleted to one that selects by it. */
function eventOf<K extends Kind>(
  { before, after }: Change,
  version: number,
  isSelected: Predicate,
): WatchEvent<K> | undefined {
  const was = before && isSelected(before) ? before : undefined;
  const is = after && isSelected(after) ? after : undefined;
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: is as ObjectOf<K> };
  if (!was) return undefined;
  const object = { ...was, metadata: { ...was.metadata, resourceVersion: String(version) } };
  return { type: 'DELETED', object: object as ClusterObject as ObjectOf<K> };
}

function merged(current: unknown, given: unknown): unknown {
  if (!isMapping(current) || !isMapping(given)) return given;
  const changes = Object.entries(given).map(([field, value]) => [field, merged(current[field], value)]);
  return { ...current, ...Object.fromEntries(changes) };
}

function keyOf(kind: string, namespace: string | undefined, name: string | undefined): string {
  // None of the three can hold a slash.
  return `${kind}/${namespace ?? ''}/${name ?? ''}`;
}

function nameOf({ metadata }: ClusterObject): string {
  return metadata.name ?? metadata.generateName ?? '';
}

// Not random, so that the same calls give the same objects.
function uidOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

function suffixOf(number: number): string {
  return number.toString(36).padStart(5, '0');
}
