import { expect, test } from 'vitest';
import { BootlaceError, RefusedError, UsageError } from './errors.ts';
import type { Problem } from './problem.ts';

const warning: Problem = { severity: 'warning', code: 'VALUE_UNUSUAL', path: '/a', message: 'odd', hint: '' };
const error: Problem = { severity: 'error', code: 'FIELD_TYPE', path: '/b', message: 'wrong', hint: '' };

test('a refusal says where and what the first error is', () => {
  expect(new RefusedError([warning, error]).message).toBe('/b: wrong');
});

test('a refusal counts the other errors, and no warnings', () => {
  expect(new RefusedError([warning, error, error, error]).message).toBe('/b: wrong (and 2 more)');
});

test('a refusal of the whole document names it', () => {
  expect(new RefusedError([{ ...error, path: '' }]).message).toBe('/: wrong');
});

test('a refusal keeps every problem, warnings included', () => {
  expect(new RefusedError([warning, error]).problems).toEqual([warning, error]);
});

test('every error has a code that callers may go by', () => {
  expect(new RefusedError([]).code).toBe('OPTIONS_REFUSED');
  expect(new UsageError('no', 'yes').code).toBe('USAGE');
});

test('the cause is kept', () => {
  const cause = new Error('disk full');
  expect(new BootlaceError('OUTPUT_FAILED', 'cannot write', { cause }).cause).toBe(cause);
});
