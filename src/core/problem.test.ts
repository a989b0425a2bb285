import { describe, expect, test } from 'vitest';
import { compareCodeUnits, ProblemList, sortProblems, type Problem, type Source } from './problem.ts';

const TOKEN = 'abcdef.0123456789abcdef';

function problem(part: Partial<Problem>): Problem {
  return { severity: 'error', code: 'FIELD_UNKNOWN', path: '', message: '', hint: '', ...part };
}

describe('severity', () => {
  test('a refusal is an error in strict mode and a warning in lenient mode', () => {
    for (const [lenient, severity] of [
      [false, 'error'],
      [true, 'warning'],
    ] as const) {
      const list = new ProblemList(lenient);
      list.refuse('NAME_INVALID', '/location', 'a', 'b');
      expect(list.sorted()[0]!.severity).toBe(severity);
      expect(list.hasErrors).toBe(!lenient);
    }
  });

  test('an error about shape stays one in lenient mode', () => {
    const list = new ProblemList(true);
    list.error('FIELD_TYPE', '/arch', 'a', 'b');
    expect(list.hasErrors).toBe(true);
  });

  test('a warning never makes errors', () => {
    const list = new ProblemList();
    list.warn('VALUE_UNUSUAL', '/arch', 'a', 'b');
    expect(list.hasErrors).toBe(false);
    expect(list.size).toBe(1);
  });
});

describe('order', () => {
  test('problems are sorted by document, path, severity, code and message', () => {
    const sorted = [
      problem({ document: 0, path: '/a', severity: 'error', code: 'FIELD_TYPE', message: '1' }),
      problem({ document: 0, path: '/a', severity: 'error', code: 'FIELD_TYPE', message: '2' }),
      problem({ document: 0, path: '/a', severity: 'error', code: 'FIELD_UNKNOWN', message: '0' }),
      problem({ document: 0, path: '/a', severity: 'warning', code: 'ARCH_UNSUPPORTED', message: '0' }),
      problem({ document: 0, path: '/b', severity: 'error', code: 'ARCH_UNSUPPORTED', message: '0' }),
      problem({ document: 1, path: '', severity: 'error', code: 'ARCH_UNSUPPORTED', message: '0' }),
    ];
    expect(sortProblems(sorted.toReversed())).toEqual(sorted);
  });

  test('sorting leaves the given list as it is', () => {
    const given = [problem({ path: '/b' }), problem({ path: '/a' })];
    sortProblems(given);
    expect(given.map(({ path }) => path)).toEqual(['/b', '/a']);
  });

  test('paths are compared by code unit, so that capitals stand before small letters in every locale', () => {
    expect(['/a', '/B', '/é', '/Z'].toSorted(compareCodeUnits)).toEqual(['/B', '/Z', '/a', '/é']);
  });
});

describe('a problem', () => {
  test('has secrets taken out of message and hint', () => {
    const list = new ProblemList();
    list.error('FIELD_TYPE', '/arch', `got ${TOKEN}`, `not ${TOKEN}`);
    const { message, hint } = list.sorted()[0]!;
    expect(message).toBe('got [secret]');
    expect(hint).toBe('not [secret]');
  });

  test('has neither document nor position when the input came from no file', () => {
    const list = new ProblemList();
    list.error('FIELD_TYPE', '/arch', 'a', 'b');
    expect(Object.keys(list.sorted()[0]!).toSorted()).toEqual(['code', 'hint', 'message', 'path', 'severity']);
  });

  test('has document, line and column of its source', () => {
    const source: Source = {
      document: 3,
      position: (path) => (path === '/arch' ? { line: 7, column: 2 } : undefined),
      plainText: () => undefined,
    };
    const list = new ProblemList(false, source);
    list.error('FIELD_TYPE', '/arch', 'a', 'b');
    expect(list.sorted()[0]).toMatchObject({ document: 3, line: 7, column: 2 });
  });
});
