import { expect, test } from 'vitest';
import { once, oncePer } from './once.ts';

test('nothing is computed before the first call, and one time after it', () => {
  let calls = 0;
  const value = once(() => (calls += 1));
  expect(calls).toBe(0);
  expect([value(), value()]).toEqual([1, 1]);
});

test('a result of undefined is kept as well', () => {
  let calls = 0;
  const value = once(() => void (calls += 1));
  value();
  value();
  expect(calls).toBe(1);
});

test('each key has a result of its own, computed one time', () => {
  const seen: string[] = [];
  const upper = oncePer((key: string) => {
    seen.push(key);
    return key.toUpperCase();
  });
  expect([upper('a'), upper('b'), upper('a')]).toEqual(['A', 'B', 'A']);
  expect(seen).toEqual(['a', 'b']);
});
