import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a step says when it began, that it goes on, and how long it took', async () => {
  let text = '';
  const progress = createProgress(
    (one) => (text += one),
    () => Date.now(),
  );
  const step = progress.step('building', () => new Promise((resolve) => setTimeout(resolve, 65_000)));
  await vi.advanceTimersByTimeAsync(65_000);
  await step;
  expect(text.split('\n')).toEqual([
    '  0:00  building …',
    '  0:30  building: still at it after 30 s',
    '  1:00  building: still at it after 60 s',
    '  1:05  building: done in 65 s',
    '',
  ]);
});

test('a step that fails says so and fails', async () => {
  let text = '';
  const progress = createProgress(
    (one) => (text += one),
    () => 0,
  );
  await expect(progress.step('booting', () => Promise.reject(new Error('no power')))).rejects.toThrow('no power');
  expect(text).toContain('booting: failed after 0.0 s');
});
