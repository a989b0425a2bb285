import { isSame } from '../../../core/same.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frozen } from '../../../../test/support/manifests.ts';
import { applyPatch, inverse, listEdits, patchOf, valueAt, type Edit } from './patch.ts';

const DOCUMENT = frozen({ a: { b: 1, 'c/d': 'x', e: null }, list: ['p', 'q', 'r'] });

describe('an edit', () => {
  test.each<[string, Edit, unknown]>([
    ['sets a value', { path: '/a/b', value: 2 }, { ...DOCUMENT, a: { ...DOCUMENT.a, b: 2 } }],
    ['adds a value', { path: '/a/n', value: 2 }, { ...DOCUMENT, a: { ...DOCUMENT.a, n: 2 } }],
    ['adds parents', { path: '/x/y/z', value: 2 }, { ...DOCUMENT, x: { y: { z: 2 } } }],
    [
      'takes null for a parent that is missing',
      { path: '/a/e/f', value: 2 },
      { ...DOCUMENT, a: { ...DOCUMENT.a, e: { f: 2 } } },
    ],
    ['removes a value', { path: '/a/b' }, { ...DOCUMENT, a: { 'c/d': 'x', e: null } }],
    ['reads escaped keys', { path: '/a/c~1d' }, { ...DOCUMENT, a: { b: 1, e: null } }],
    ['sets an element', { path: '/list/1', value: 'n' }, { ...DOCUMENT, list: ['p', 'n', 'r'] }],
    ['inserts an element', { path: '/list/1', value: 'n', insert: true }, { ...DOCUMENT, list: ['p', 'n', 'q', 'r'] }],
    ['adds an element at the end', { path: '/list/3', value: 'n' }, { ...DOCUMENT, list: ['p', 'q', 'r', 'n'] }],
    ['removes an element', { path: '/list/1' }, { ...DOCUMENT, list: ['p', 'r'] }],
  ])('%s, and is taken back', (_, edit, expected) => {
    const patch = patchOf(DOCUMENT, edit)!;
    const after = applyPatch(DOCUMENT, patch);
    expect(after).toEqual(expected);
    expect(applyPatch(after, inverse(patch))).toEqual(DOCUMENT);
  });

  test.each<[string, Edit]>([
    ['the value that is there', { path: '/a/b', value: 1 }],
    ['the removal of nothing', { path: '/a/x/y' }],
    ['the same mapping in another order', { path: '/a', value: { e: null, 'c/d': 'x', b: 1 } }],
  ])('is none when it sets %s', (_, edit) => {
    expect(patchOf(DOCUMENT, edit)).toBeUndefined();
  });

  test('makes a key of its own out of every name', () => {
    const after = applyPatch({}, patchOf({}, { path: '/__proto__', value: { polluted: true } })!);
    expect(Object.keys(after)).toEqual(['__proto__']);
    expect(valueAt({}, '/constructor')).toBeUndefined();
  });
});

test('a list is made of another by edits, whatever the two are', () => {
  const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 });
  fc.assert(
    fc.property(list, list, (before, after) => {
      let document: { readonly list: readonly string[] } = { list: before };
      for (const edit of listEdits('/list', before, after)) {
        const patch = patchOf(document, edit);
        if (patch !== undefined) document = applyPatch(document, patch);
      }
      expect(document.list).toEqual(after);
    }),
  );
});

test('a list is changed where it differs alone', () => {
  expect(listEdits('', ['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual([
    { path: '/1', value: 'x' },
    { path: '/3', value: 'd', insert: true },
  ]);
});

test('values are the same whatever the order of their keys', () => {
  expect(isSame({ a: 1, b: [{}] }, { b: [{}], a: 1 })).toBe(true);
  expect(isSame({ a: undefined }, { b: undefined })).toBe(false);
  expect(isSame([], {})).toBe(false);
});
