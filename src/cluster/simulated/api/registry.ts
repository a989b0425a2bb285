import {
  labelsMatcher,
  type AnyObject,
  type ApplyOptions,
  type DeleteOptions,
  type Kind,
  type PodObject,
  type Reference,
  type WriteOptions,
} from '../../api.ts';
import type { DaemonSet, Pod } from '../../objects.ts';
import { isSame } from '../../../core/same.ts';
import type { Random } from '../random.ts';
import { deepFreeze, type Store } from '../store.ts';
import { withPodDefaults } from './defaults.ts';
import { withApply, withUpdate } from './ownership.ts';
import { done, refusal, type ObjectRequest, type Reply, type User } from './requests.ts';
import { shapeFaultOf } from './shape.ts';
import { faultOf } from './validation.ts';

export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Finalizers by which the garbage collector is heard before an owner goes. */
export const FINALIZERS = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;

/** Looks at what is about to be stored, and says why not. */
export type Admission = (
  object: AnyObject,
  operation: 'create' | 'update' | 'delete',
  user: User,
) => string | undefined;

export interface RegistrySettings {
  readonly store: Store;
  readonly random: Random;
  /** Time of the cluster, as its objects have it. */
  readonly now: () => Date;
  /** Policies of the cluster. May change while it runs. */
  readonly admissions: readonly Admission[];
}

/** What every API server does with a request once it knows who asks: all of them work on one store. */
export type Registry = (request: ObjectRequest, user: User) => Reply;

export function createRegistry({ store, random, now, admissions }: RegistrySettings): Registry {
  /** Names that one kind is given say nothing of those of another one. */
  const sequences = new Map<Kind, Random>();

  function randomOf(kind: Kind): Random {
    let own = sequences.get(kind);
    if (own === undefined) sequences.set(kind, (own = random.fork(kind)));
    return own;
  }

  function get({ kind, namespace, name }: Reference): AnyObject | undefined {
    return store.get(kind, namespace, name);
  }

  function create(given: AnyObject, options: WriteOptions, user: User): Reply {
    const fault = shapeFaultOf(given);
    if (fault !== undefined) return refusal(422, 'INVALID', `${given.kind}: ${fault}`);
    const { generateName, name = generateName && `${generateName}${randomOf(given.kind).letters(5)}` } = given.metadata;
    if (!name) return nameless(given);
    if (given.metadata.resourceVersion)
      return refusal(400, 'INVALID', 'resourceVersion should not be set on objects to be created');
    if (store.get(given.kind, given.metadata.namespace, name)) return alreadyExists(given.kind, name);
    const mirror = mirrorFault(given, user);
    if (mirror) return refusal(403, 'FORBIDDEN', mirror);
    const metadata = {
      ...given.metadata,
      name,
      uid: uid(given.kind),
      generation: 1,
      creationTimestamp: now().toISOString(),
    };
    const fresh = withDefaults({ ...withoutStatus(given), metadata } as AnyObject);
    const object = withUpdate(undefined, fresh, managerOf(options, user));
    return admitted(object, undefined, 'create', user) ?? stored(object, options);
  }

  function update(
    given: AnyObject,
    subresource: 'status' | 'binding' | undefined,
    options: WriteOptions,
    user: User,
  ): Reply {
    const { kind, metadata } = given;
    const fault = subresource === undefined ? shapeFaultOf(given) : undefined;
    if (fault !== undefined) return refusal(422, 'INVALID', `${kind}: ${fault}`);
    const before = store.get(kind, metadata.namespace, metadata.name ?? '');
    if (!before) return notFound(kind, metadata.name ?? '');
    const outdated = outdatedFault(given, before);
    if (outdated) return outdated;
    const next = merged(before, given, subresource);
    if (isSame(next, before)) return done(before);
    const object = withUpdate(before, next, managerOf(options, user));
    // What has no finalizer left and was to be deleted goes with this update.
    if (isDeleted(object)) {
      if (!options.dryRun) store.remove(object);
      return done(object);
    }
    return admitted(object, subresource === undefined ? before : undefined, 'update', user) ?? stored(object, options);
  }

  /** What an update makes of an object: each of its parts is written in its own way. */
  function merged(before: AnyObject, given: AnyObject, subresource: 'status' | 'binding' | undefined): AnyObject {
    const { status: _status, ...own } = given as AnyObject & { readonly status?: unknown };
    const status = 'status' in before ? { status: before.status } : {};
    switch (subresource) {
      case 'status':
        return { ...before, status: 'status' in given ? given.status : undefined } as AnyObject;
      case 'binding':
        return {
          ...before,
          spec: { ...(before as PodObject).spec, ...pick((given as PodObject).spec, 'nodeName') },
        } as AnyObject;
      case undefined: {
        const kept = pick(
          before.metadata,
          'uid',
          'creationTimestamp',
          'deletionTimestamp',
          'deletionGracePeriodSeconds',
          'generation',
          'managedFields',
        );
        const { resourceVersion: _resourceVersion, ...metadata } = given.metadata;
        const next = withDefaults({ ...own, metadata: { ...metadata, ...kept }, ...status } as AnyObject);
        const isChanged = 'spec' in next && 'spec' in before && !isSame(next.spec, before.spec);
        const generation = (before.metadata.generation ?? 1) + (isChanged ? 1 : 0);
        return {
          ...next,
          metadata: { ...next.metadata, generation, resourceVersion: before.metadata.resourceVersion },
        } as AnyObject;
      }
      default:
        return subresource satisfies never;
    }
  }

  function apply(given: AnyObject, options: ApplyOptions, user: User): Reply {
    const { kind, metadata } = given;
    if (!metadata.name) return nameless(given);
    const before = store.get(kind, metadata.namespace, metadata.name);
    const outdated = before && outdatedFault(given, before);
    if (outdated) return outdated;
    const base =
      before ?? ({ apiVersion: given.apiVersion, kind, metadata: pick(metadata, 'name', 'namespace') } as AnyObject);
    const applied = withApply(base, given, options.fieldManager, options.force ?? false);
    if ('conflicts' in applied)
      return conflict(kind, metadata.name, `fields of other managers: ${applied.conflicts.join(', ')}`);
    const fault = shapeFaultOf(applied.object);
    if (fault !== undefined) return refusal(422, 'INVALID', `${kind}: ${fault}`);
    if (before === undefined) {
      const mirror = mirrorFault(given, user);
      if (mirror) return refusal(403, 'FORBIDDEN', mirror);
      const fresh = {
        ...withoutStatus(applied.object),
        metadata: { ...applied.object.metadata, uid: uid(kind), generation: 1, creationTimestamp: now().toISOString() },
      };
      const object = withDefaults(fresh as AnyObject);
      return admitted(object, undefined, 'create', user) ?? stored(object, options);
    }
    const object = merged(before, applied.object, undefined);
    const owned = { ...object, metadata: { ...object.metadata, ...pick(applied.object.metadata, 'managedFields') } };
    if (isSame(owned, before)) return done(before);
    return admitted(owned as AnyObject, before, 'update', user) ?? stored(owned as AnyObject, options);
  }

  function remove(reference: Reference, options: DeleteOptions, user: User): Reply {
    const object = get(reference);
    if (!object) return notFound(reference.kind, reference.name);
    const { uid: id, resourceVersion } = options.preconditions ?? {};
    if ((id && id !== object.metadata.uid) || (resourceVersion && resourceVersion !== object.metadata.resourceVersion))
      return conflict(reference.kind, reference.name, 'a precondition does not hold');
    const denial = denied(object, 'delete', user);
    if (denial) return denial;
    if (options.dryRun) return done();
    const { propagation = 'Background' } = options;
    const grace = object.kind === 'Pod' ? graceOf(object, options) : 0;
    const finalizers = [
      ...((object.metadata['finalizers'] ?? []) as readonly string[]),
      // Of what is here DaemonSets alone have dependents that the garbage collector waits for.
      ...(propagation === 'Background' || object.kind !== 'DaemonSet' ? [] : [FINALIZERS[propagation]]),
    ];
    if (finalizers.length === 0 && grace === 0) {
      store.remove(object);
      return done();
    }
    // A second deletion may shorten the time of grace and never gives more.
    if (grace < Number(object.metadata['deletionGracePeriodSeconds'] ?? Number.POSITIVE_INFINITY)) {
      const metadata = {
        ...object.metadata,
        deletionTimestamp: new Date(now().getTime() + grace * 1000).toISOString(),
        deletionGracePeriodSeconds: grace,
        ...(finalizers.length > 0 && { finalizers: [...new Set(finalizers)] }),
      };
      store.put({ ...object, metadata } as AnyObject);
    }
    return done();
  }

  function admitted(
    object: AnyObject,
    before: AnyObject | undefined,
    operation: 'create' | 'update',
    user: User,
  ): Reply | undefined {
    const fault = operation === 'create' || before !== undefined ? faultOf(object, before) : undefined;
    return fault === undefined ? denied(object, operation, user) : refusal(422, 'INVALID', fault);
  }

  function denied(object: AnyObject, operation: 'create' | 'update' | 'delete', user: User): Reply | undefined {
    const reason = admissions
      .map((admission) => admission(object, operation, user))
      .find((found) => found !== undefined);
    return reason === undefined ? undefined : refusal(403, 'FORBIDDEN', reason);
  }

  function stored(object: AnyObject, { dryRun }: WriteOptions): Reply {
    return done(dryRun ? deepFreeze(object) : store.put(object));
  }

  function uid(kind: Kind): string {
    const own = randomOf(kind);
    const hex = [0, 1, 2, 3]
      .map(() =>
        Math.floor(own.next() * 2 ** 32)
          .toString(16)
          .padStart(8, '0'),
      )
      .join('');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  return (request, user) => {
    switch (request.verb) {
      case 'get': {
        const object = get(request.reference);
        return object ? done(object) : notFound(request.reference.kind, request.reference.name);
      }
      case 'list': {
        const { kind, namespace, labelSelector } = request.selection;
        const matches = labelsMatcher(labelSelector);
        const items = store
          .list(kind)
          .filter((object) => (namespace === undefined || object.metadata.namespace === namespace) && matches(object));
        return done({ resourceVersion: String(store.version), items });
      }
      case 'create':
        return create(request.object, request.options ?? {}, user);
      case 'update':
        return update(request.object, request.subresource, request.options ?? {}, user);
      case 'apply':
        return apply(request.object, request.options, user);
      case 'delete':
        return remove(request.reference, request.options ?? {}, user);
      default:
        return request satisfies never;
    }
  };
}

function withDefaults(object: AnyObject): AnyObject {
  if (object.kind === 'Pod') {
    const { spec } = object as unknown as Pod;
    return { ...object, spec: withPodDefaults(spec), status: object.status ?? { phase: 'Pending' } };
  }
  if (object.kind !== 'DaemonSet') return object;
  const { spec } = object as DaemonSet;
  const strategy = spec.updateStrategy ?? { type: 'RollingUpdate' };
  const updateStrategy =
    strategy.type === 'RollingUpdate'
      ? { ...strategy, rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...strategy.rollingUpdate } }
      : strategy;
  // A template is no Pod yet: its ports get no host ports, which is why nothing warns of the clash to come.
  const { containers } = spec.template.spec;
  const template = { ...spec.template, spec: { ...withPodDefaults(spec.template.spec), containers } };
  return { ...object, spec: { ...spec, updateStrategy, template } };
}

/** What these two kinds are created with is not their status: others write it later. */
function withoutStatus(object: AnyObject): AnyObject {
  if (object.kind !== 'Pod' && object.kind !== 'DaemonSet') return object;
  const { status: _status, ...others } = object;
  return others;
}

/** Whether somebody means another version of an object, or another object of its name. */
function outdatedFault({ kind, metadata }: AnyObject, { metadata: current }: AnyObject): Reply | undefined {
  if (metadata.resourceVersion && metadata.resourceVersion !== current.resourceVersion)
    return conflict(kind, metadata.name ?? '', 'the object has been modified');
  if (metadata.uid && metadata.uid !== current.uid)
    return conflict(kind, metadata.name ?? '', 'the UID in the precondition does not match');
  return undefined;
}

/** A mirror Pod comes from the node that it is of, and from nobody else. */
function mirrorFault({ kind, metadata, ...object }: AnyObject, user: User): string | undefined {
  if (kind !== 'Pod' || !user.startsWith('system:node:')) {
    const isMirror = kind === 'Pod' && Object.hasOwn(metadata.annotations ?? {}, MIRROR_ANNOTATION);
    return isMirror ? 'only a node may create a mirror Pod' : undefined;
  }
  const isOwn = user === `system:node:${String((object as Partial<Pod>).spec?.['nodeName'])}`;
  if (!Object.hasOwn(metadata.annotations ?? {}, MIRROR_ANNOTATION)) return 'a node may create mirror Pods alone';
  return isOwn ? undefined : 'a node may create Pods of its own alone';
}

/** Seconds that a Pod has to end; a Pod that is on no node has nothing to end. */
function graceOf(object: PodObject, { gracePeriodSeconds }: DeleteOptions): number {
  const { nodeName, terminationGracePeriodSeconds } = object.spec as unknown as Pod['spec'];
  if (!nodeName || object.status?.phase === 'Failed' || object.status?.phase === 'Succeeded') return 0;
  return gracePeriodSeconds ?? (terminationGracePeriodSeconds as number);
}

function isDeleted({ kind, metadata }: AnyObject): boolean {
  const finalizers = (metadata['finalizers'] ?? []) as readonly string[];
  return metadata.deletionTimestamp !== undefined && finalizers.length === 0 && kind !== 'Pod';
}

function managerOf({ fieldManager }: WriteOptions, user: User): string {
  return fieldManager ?? user;
}

function pick(from: object | undefined, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(from ?? {}).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

function nameless({ kind }: AnyObject): Reply {
  return refusal(422, 'INVALID', `${kind}: name or generateName is required`);
}

function notFound(kind: Kind, name: string): Reply {
  return refusal(404, 'NOT_FOUND', `${kind} ${name} not found`);
}

function alreadyExists(kind: Kind, name: string): Reply {
  return refusal(409, 'ALREADY_EXISTS', `${kind} ${name} already exists`);
}

function conflict(kind: Kind, name: string, reason: string): Reply {
  return refusal(409, 'CONFLICT', `${kind} ${name}: ${reason}`);
}
