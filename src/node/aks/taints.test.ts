import { describe, expect, test } from 'vitest';
import { findings, kubeletFlagsOf, LENIENT, problemAt, v114 } from '../../../test/support/options.ts';

const FLAG = '--register-with-taints';

function taintsOf(taints: unknown, settings = {}): string | undefined {
  return kubeletFlagsOf(v114({ taints }), settings)[FLAG];
}

describe('the flag', () => {
  test('has the taints in the order given', () => {
    const taints = [
      { key: 'k', effect: 'NoSchedule' },
      { key: 'a', value: 'b', effect: 'NoExecute' },
    ];
    expect(taintsOf(taints)).toBe('k:NoSchedule,a=b:NoExecute');
  });

  test('has a key several times with different effects', () => {
    const taints = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'].map((effect) => ({ key: 'k', value: 'v', effect }));
    expect(taintsOf(taints)).toBe('k=v:NoSchedule,k=v:PreferNoSchedule,k=v:NoExecute');
  });

  test('has no equals sign where the value is empty', () => {
    expect(taintsOf([{ key: 'k', value: '', effect: 'NoSchedule' }])).toBe('k:NoSchedule');
  });

  test.each([[[]], [null], [undefined]])('is not there for %j', (taints) => {
    expect(taintsOf(taints)).toBeUndefined();
  });

  test.each([
    [{ key: 'k', value: 'v' }, 'k=v:'],
    [{ key: 'k' }, 'k'],
    [{ key: 'k', value: null, effect: '' }, 'k'],
  ])('has %j under lenient as Go prints it: %s', (taint, expected) => {
    expect(taintsOf([taint], LENIENT)).toBe(expected);
  });
});

describe('refused', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['without an effect', { key: 'k', value: 'v' }, 'effect'],
    ['with an empty effect', { key: 'k', effect: '' }, 'effect'],
    ['with an effect in small letters', { key: 'k', effect: 'noschedule' }, 'effect'],
    ['without a key', { effect: 'NoSchedule' }, 'key'],
    ['with a key that is none', { key: 'a b', effect: 'NoSchedule' }, 'key'],
    ['with a comma in its key', { key: 'a,b', effect: 'NoSchedule' }, 'key'],
    ['with a value that is none', { key: 'k', value: 'a:b', effect: 'NoSchedule' }, 'value'],
    ['with a value of 64 characters', { key: 'k', value: 'v'.repeat(64), effect: 'NoSchedule' }, 'value'],
  ])('a taint %s', (_, taint, field) => {
    expect(findings(v114({ taints: [taint] }))).toEqual([`error TAINT_INVALID /taints/0/${field}`]);
    expect(findings(v114({ taints: [taint] }), LENIENT)).toEqual([`warning TAINT_INVALID /taints/0/${field}`]);
  });

  test('two taints with the same key and effect, whatever their values', () => {
    const taints = [
      { key: 'k', value: 'a', effect: 'NoSchedule' },
      { key: 'k', effect: 'NoExecute' },
      { key: 'k', value: 'b', effect: 'NoSchedule' },
    ];
    expect(problemAt('/taints/2', v114({ taints }))).toMatchObject({ severity: 'error', code: 'TAINT_DUPLICATE' });
    expect(problemAt('/taints/2', v114({ taints })).message).toContain('/taints/0');
  });

  test('a taint that is no mapping, in lenient mode as well', () => {
    expect(findings(v114({ taints: ['k=v:NoSchedule'] }), LENIENT)).toEqual(['error FIELD_TYPE /taints/0']);
  });

  test('a misspelt field of a taint, with the nearest name', () => {
    const taints = [{ key: 'k', efect: 'NoSchedule' }];
    expect(problemAt('/taints/0/efect', v114({ taints }))).toMatchObject({ code: 'FIELD_UNKNOWN', severity: 'error' });
    expect(problemAt('/taints/0/efect', v114({ taints })).hint).toContain('`effect`');
  });
});

test('the time of a taint is dropped with a warning', () => {
  const taints = [{ key: 'k', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }];
  expect(findings(v114({ taints }))).toEqual(['warning FIELD_DROPPED /taints/0/timeAdded']);
  expect(taintsOf(taints)).toBe('k:NoExecute');
});

test('a name with a prefix is a taint key', () => {
  expect(findings(v114({ taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] }))).toEqual([]);
});
