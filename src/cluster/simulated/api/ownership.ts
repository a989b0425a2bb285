import { isMapping } from '../../../core/mapping.ts';
import { pointerTo, tokensOf } from '../../../core/pointer.ts';
import { isSame } from '../../../core/same.ts';
import type { AnyObject } from '../../api.ts';

/**
 * Who owns which field of an object, as server-side apply keeps it in `metadata.managedFields`. A list is one field
 * here: that lists of containers or of conditions are merged by key is not modelled.
 */
interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: object;
}

type Owners = ReadonlyMap<string, ReadonlySet<string>>;

/** Fields that the server sets, or that say which object it is: nobody owns them. */
const UNOWNED: ReadonlySet<string> = new Set(
  [
    'apiVersion',
    'kind',
    'metadata/name',
    'metadata/namespace',
    'metadata/generateName',
    'metadata/uid',
    'metadata/resourceVersion',
    'metadata/generation',
    'metadata/creationTimestamp',
    'metadata/deletionTimestamp',
    'metadata/managedFields',
  ].map((path) => `/${path}`),
);

/** The object after a manager has created or updated it: it owns what it set or changed. */
export function withUpdate<T extends AnyObject>(before: T | undefined, object: T, manager: string): T {
  const old = before === undefined ? new Map<string, unknown>() : leavesOf(before);
  const now = leavesOf(object);
  const changed = [...now].filter(([path, value]) => !isSame(old.get(path), value)).map(([path]) => path);
  const owners = new Map<string, Set<string>>();
  for (const [key, paths] of before === undefined ? [] : ownersOf(before))
    owners.set(key, new Set([...paths].filter((path) => now.has(path) && !changed.includes(path))));
  const own = `Update ${manager}`;
  owners.set(own, new Set([...(owners.get(own) ?? []), ...changed]));
  return withOwners(object, owners);
}

export type Applied<T> =
  | { readonly object: T }
  /** Fields that others own, with their owner. */
  | { readonly conflicts: readonly string[] };

/** The object after a manager has applied a configuration to it. */
export function withApply<T extends AnyObject>(
  before: T,
  configuration: T,
  manager: string,
  force: boolean,
): Applied<T> {
  const owners = ownersOf(before);
  const current = leavesOf(before);
  const isMappingAt = (path: string): boolean =>
    isMapping(current.get(path)) || [...current.keys()].some((leaf) => leaf.startsWith(`${path}/`));
  // A mapping without fields asks for no more than that there is one.
  const wanted = new Map(
    [...leavesOf(configuration)].filter(
      ([path, value]) => !isMapping(value) || !isMappingAt(path) || current.has(path),
    ),
  );
  const own = `Apply ${manager}`;
  const conflicts = [...wanted].flatMap(([path, value]) =>
    isSame(current.get(path), value)
      ? []
      : [...owners]
          .filter(([key, paths]) => key !== own && owns(paths, path, isMappingAt))
          .map(([key]) => `${path} of ${key.slice(key.indexOf(' ') + 1)}`),
  );
  if (conflicts.length > 0 && !force) return { conflicts };
  const dropped = [...(owners.get(own) ?? [])].filter(
    (path) => !wanted.has(path) && ![...owners].some(([key, paths]) => key !== own && paths.has(path)),
  );
  let object: unknown = dropped.reduce<unknown>((document, path) => without(document, tokensOf(path)), before);
  for (const [path, value] of wanted) object = withValue(object, tokensOf(path), value);
  const next = new Map<string, ReadonlySet<string>>();
  for (const [key, paths] of owners) {
    if (key === own) continue;
    const kept = [...paths].filter((path) => !wanted.has(path) || isSame(current.get(path), wanted.get(path)));
    next.set(key, new Set(kept));
  }
  next.set(own, new Set(wanted.keys()));
  return { object: withOwners(object as T, next) };
}

/** Whether some of these fields are a field, are in it, or would have to go for it. */
function owns(paths: ReadonlySet<string>, path: string, isMappingAt: (path: string) => boolean): boolean {
  return (
    paths.has(path) ||
    [...paths].some((other) => other.startsWith(`${path}/`) || (path.startsWith(`${other}/`) && !isMappingAt(other)))
  );
}

/** Every field that has no fields of its own, by pointer; an empty mapping is one. */
function leavesOf(object: object): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const visit = (value: unknown, path: string): void => {
    if (UNOWNED.has(path) || value === undefined) return;
    const entries = isMapping(value) ? Object.entries(value) : [];
    if (entries.length === 0 && path !== '') leaves.set(path, value);
    for (const [key, part] of entries) visit(part, pointerTo(path, key));
  };
  visit(object, '');
  return leaves;
}

function ownersOf(object: AnyObject): Owners {
  const fields = (object.metadata['managedFields'] ?? []) as readonly ManagedFields[];
  return new Map(
    fields.map(({ manager, operation, fieldsV1 }) => [`${operation} ${manager}`, new Set(pathsOf(fieldsV1))]),
  );
}

function withOwners<T extends AnyObject>(object: T, owners: Owners): T {
  const managedFields = [...owners]
    .filter(([, paths]) => paths.size > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, paths]): ManagedFields => {
      const [operation = '', ...manager] = key.split(' ');
      return {
        manager: manager.join(' '),
        operation: operation as ManagedFields['operation'],
        fieldsType: 'FieldsV1',
        fieldsV1: treeOf([...paths].toSorted()),
      };
    });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function treeOf(paths: readonly string[]): object {
  const tree: Record<string, object> = {};
  for (const path of paths) {
    let place = tree;
    for (const token of tokensOf(path)) place = (place[`f:${token}`] ??= {}) as Record<string, object>;
  }
  return tree;
}

function pathsOf(tree: object, path = ''): readonly string[] {
  const entries = Object.entries(tree) as [string, object][];
  if (entries.length === 0) return path === '' ? [] : [path];
  return entries.flatMap(([key, part]) => pathsOf(part, pointerTo(path, key.slice('f:'.length))));
}

function withValue(document: unknown, [token, ...rest]: readonly string[], value: unknown): unknown {
  if (token === undefined) return value;
  const mapping = isMapping(document) ? document : {};
  return { ...mapping, [token]: withValue(mapping[token], rest, value) };
}

/** Takes a mapping that becomes empty away with its last field. */
function without(document: unknown, [token, ...rest]: readonly string[]): unknown {
  if (!isMapping(document) || token === undefined || !Object.hasOwn(document, token)) return document;
  const { [token]: part, ...others } = document;
  const left = rest.length === 0 ? undefined : without(part, rest);
  return left === undefined || (isMapping(left) && Object.keys(left).length === 0)
    ? others
    : { ...others, [token]: left };
}
