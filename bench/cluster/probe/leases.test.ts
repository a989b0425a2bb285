import { describe, expect, test } from 'vitest';
import { leaseChanges, nodeOfHolder, type ProcessLife } from './leases.ts';
import type { LeaseRecord } from './records.ts';

function lease(at: number, holder: string, acquired: number, renewed = at, name = 'kube-scheduler'): LeaseRecord {
  return { kind: 'lease', at, name, holder, acquired, renewed };
}

function life(id: number, ended?: number, node = 'cp1'): ProcessLife {
  return { component: 'kube-scheduler', node, id, seen: 0, ...(ended !== undefined && { ended }) };
}

const END = 30_000;

describe('a change of leadership', () => {
  test('lasts from the end of the leading process to the time of the next holder', () => {
    const records = [lease(1000, 'cp1_a', 0), lease(3000, 'cp1_a', 0), lease(9000, 'cp2_b', 8900)];
    expect(leaseChanges(records, [life(1, 3500)], END)).toEqual([
      { component: 'kube-scheduler', from: 'cp1_a', to: 'cp2_b', ended: 3500, acquired: 8900, gap: 5400 },
    ]);
  });

  test('is measured from the last renewal when nobody saw the process end', () => {
    const records = [lease(3000, 'cp1_a', 0), lease(9000, 'cp2_b', 8900)];
    expect(leaseChanges(records, [life(1)], END)).toMatchObject([{ gap: 5900 }]);
    expect(leaseChanges(records, [life(1)], END)[0]).not.toHaveProperty('ended');
  });

  test('looks past a holder that gave its lease back', () => {
    const records = [lease(3000, 'cp1_a', 0), lease(4000, '', 4000), lease(4600, 'cp2_b', 4500)];
    expect(leaseChanges(records, [life(1, 4100)], END)).toMatchObject([
      { from: 'cp1_a', to: 'cp2_b', ended: 4100, gap: 400 },
    ]);
  });

  test('takes the first process of its node that ended, and none that came later', () => {
    const records = [lease(3000, 'cp1_a', 0), lease(9000, 'cp1_c', 8900)];
    const successor = { ...life(5, 6000), seen: 5000 };
    const lives = [life(1, 1000), life(2, 4000), life(3), life(4, 3500, 'cp2'), successor];
    expect(leaseChanges(records, lives, END)).toMatchObject([{ ended: 4000 }]);
  });

  test('has no gap below nothing when the next holder came before the process was gone', () => {
    const records = [lease(3000, 'cp1_a', 0), lease(3400, 'cp2_b', 3300)];
    expect(leaseChanges(records, [life(1, 3500)], END)).toMatchObject([{ gap: 0 }]);
  });

  test('that does not come is a gap to the end', () => {
    const records = [lease(3000, 'cp1_a', 0)];
    expect(leaseChanges(records, [life(1, 3500)], END)).toMatchObject([{ to: '', ended: 3500, gap: 26_500 }]);
    expect(leaseChanges(records, [life(1)], END)).toEqual([]);
    // It ended after the measurement, or was none that led.
    expect(leaseChanges(records, [life(1, 31_000)], END)).toEqual([]);
    expect(leaseChanges(records, [life(1), life(2, 1500)], END)).toEqual([]);
  });

  test('is none when a holder renews, nor when the records come out of order', () => {
    expect(leaseChanges([lease(3000, 'cp1_a', 0), lease(1000, 'cp1_a', 0)], [], END)).toEqual([]);
  });
});

test('a host name may have underscores of its own', () => {
  expect(nodeOfHolder('my_node_0b9f')).toBe('my_node');
});
