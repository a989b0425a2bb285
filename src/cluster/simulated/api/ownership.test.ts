import { describe, expect, test } from 'vitest';
import type { ConfigMapObject } from '../../api.ts';
import { withApply, withUpdate } from './ownership.ts';

function configMap(data: Record<string, string> = {}): ConfigMapObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data };
}

function applied(
  before: ConfigMapObject,
  data: Record<string, string>,
  manager: string,
  force = false,
): ConfigMapObject {
  const result = withApply(before, configMap(data), manager, force);
  if ('conflicts' in result) throw new Error(result.conflicts.join());
  return result.object;
}

/** Who owns which key of the data: `Apply m: a b`. */
function ownersOf({ metadata }: ConfigMapObject): readonly string[] {
  const fields = metadata['managedFields'] as readonly {
    readonly manager: string;
    readonly operation: string;
    readonly fieldsV1: { readonly 'f:data'?: object };
  }[];
  return fields.map(
    ({ manager, operation, fieldsV1 }) =>
      `${operation} ${manager}: ${Object.keys(fieldsV1['f:data'] ?? {})
        .map((key) => key.slice('f:'.length))
        .join(' ')}`,
  );
}

describe('who applies', () => {
  test('owns what it gives, and nothing else', () => {
    const object = applied(applied(configMap(), { a: '1' }, 'one'), { b: '2' }, 'two');
    expect(object.data).toEqual({ a: '1', b: '2' });
    expect(ownersOf(object)).toEqual(['Apply one: a', 'Apply two: b']);
  });

  test('takes away what it gave before and gives no more', () => {
    const before = applied(configMap(), { a: '1', b: '2' }, 'one');
    expect(applied(before, { b: '2' }, 'one').data).toEqual({ b: '2' });
    expect(applied(before, {}, 'one').data ?? {}).toEqual({});
  });

  test('leaves what another one gives as well', () => {
    const both = applied(applied(configMap(), { a: '1' }, 'one'), { a: '1', b: '2' }, 'two');
    expect(ownersOf(both)).toEqual(['Apply one: a', 'Apply two: a b']);
    const left = applied(both, {}, 'two');
    expect(left.data).toEqual({ a: '1' });
    expect(ownersOf(left)).toContain('Apply one: a');
  });

  test('does not change the value of another one unless it takes the field away from it', () => {
    const before = applied(configMap(), { a: '1', b: '1' }, 'one');
    expect(withApply(before, configMap({ a: '2' }), 'two', false)).toEqual({ conflicts: ['/data/a of one'] });
    const forced = applied(before, { a: '2' }, 'two', true);
    expect(forced.data).toEqual({ a: '2', b: '1' });
    expect(ownersOf(forced)).toEqual(['Apply one: b', 'Apply two: a']);
    // What it does not own any more it does not take away either.
    expect(applied(forced, {}, 'one').data).toEqual({ a: '2' });
  });

  test('cannot put a value in the place of a mapping of which another one owns a field', () => {
    const before = applied(configMap(), { a: '1' }, 'one');
    const text = { ...configMap(), data: 'x' } as unknown as ConfigMapObject;
    expect(withApply(before, text, 'two', false)).toHaveProperty('conflicts');
  });

  test('owns nothing of what says which object it is', () => {
    const object = applied(configMap(), { a: '1' }, 'one');
    expect(JSON.stringify(object.metadata['managedFields'])).not.toMatch(/f:(metadata|kind|apiVersion)/);
  });
});

describe('who updates', () => {
  test('owns what it changed, and takes it from whoever owned it', () => {
    const before = applied(configMap(), { a: '1', b: '1' }, 'one');
    const object = withUpdate(before, { ...before, data: { a: '2', b: '1', c: '3' } }, 'kubectl');
    expect(ownersOf(object)).toEqual(['Apply one: b', 'Update kubectl: a c']);
    expect(withApply(object, configMap({ a: '1', b: '1' }), 'one', false)).toEqual({
      conflicts: ['/data/a of kubectl'],
    });
  });

  test('leaves nobody as the owner of what it took away', () => {
    const before = applied(configMap(), { a: '1', b: '1' }, 'one');
    expect(ownersOf(withUpdate(before, { ...before, data: { b: '1' } }, 'kubectl'))).toEqual(['Apply one: b']);
  });

  test('and applies under one name is two owners', () => {
    const object = applied(withUpdate(undefined, configMap({ a: '1' }), 'one'), { a: '1' }, 'one');
    expect(ownersOf(object)).toEqual(['Apply one: a', 'Update one: a']);
  });
});

test('a key with slashes, tildes or dots is one field', () => {
  const object = applied(applied(configMap(), { 'a/b~c.d': '1' }, 'one'), { e: '1' }, 'two');
  expect(applied(object, {}, 'one').data).toEqual({ e: '1' });
});

test('an empty mapping is no answer to who owns what is in it', () => {
  const before = applied(configMap(), { a: '1' }, 'one');
  const object = applied(before, {}, 'two');
  expect(object.data).toEqual({ a: '1' });
  expect(applied(object, { b: '1' }, 'two').data).toEqual({ a: '1', b: '1' });
  const empty = withUpdate(undefined, configMap(), 'kubectl');
  expect(applied(applied(empty, { a: '1' }, 'one'), { b: '1' }, 'two').data).toEqual({ a: '1', b: '1' });
});
