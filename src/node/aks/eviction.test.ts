import { describe, expect, test } from 'vitest';
import { findings, problemAt, v114 } from '../../../test/support/options.ts';

const DEFAULTS = { 'memory.available': '750Mi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' };

function found(kubeletConfig: Record<string, unknown>): string[] {
  return findings(v114({ kubeletConfig: { maxPods: 30, ...kubeletConfig } })).map((line) =>
    line.replace(' /kubeletConfig/', ' '),
  );
}

describe('thresholds', () => {
  test.each(['500Mi', '1', '10%', '0.5%', '99.9%', '1e9', '5.0%'])('%s is one', (threshold) => {
    expect(found({ evictionHard: { ...DEFAULTS, 'imagefs.available': threshold } })).toEqual([]);
  });

  test.each(['', '0', '-1', '101%', '100.1%', '-5%', '%', '5 %', '5%%', 'x', '<5%', '5%,pid.available<1', '0Mi'])(
    '%j is none',
    (threshold) => {
      expect(found({ evictionHard: { ...DEFAULTS, 'imagefs.available': threshold } })).toEqual([
        'error VALUE_INVALID evictionHard/imagefs.available',
      ]);
    },
  );

  test.each(['0%', '100%'])('%s is one that the kubelet ignores', (threshold) => {
    expect(found({ evictionHard: { ...DEFAULTS, 'imagefs.available': threshold } })).toEqual([
      'warning VALUE_UNUSUAL evictionHard/imagefs.available',
    ]);
  });
});

describe('signals', () => {
  test.each([
    'memory.available',
    'nodefs.available',
    'nodefs.inodesFree',
    'imagefs.available',
    'imagefs.inodesFree',
    'pid.available',
  ])('the kubelet knows %s', (signal) => {
    expect(found({ evictionHard: { ...DEFAULTS, [signal]: '5%' } })).toEqual([]);
  });

  test.each(['memory', 'Memory.available', 'nodefs.inodesfree', 'disk.available', '', 'memory.available<1Gi,x'])(
    'it does not know %j',
    (signal) => {
      const soft = { evictionSoft: { [signal]: '1Gi' }, evictionSoftGracePeriod: { [signal]: '90s' } };
      expect(found({ evictionHard: { ...DEFAULTS, [signal]: '5%' }, ...soft })).toEqual([
        `error EVICTION_SIGNAL_UNKNOWN evictionHard/${signal}`,
        `error EVICTION_SIGNAL_UNKNOWN evictionSoft/${signal}`,
        `error EVICTION_SIGNAL_UNKNOWN evictionSoftGracePeriod/${signal}`,
      ]);
    },
  );
});

describe('soft thresholds and grace periods come in pairs', () => {
  test('a pair is fine', () => {
    expect(
      found({ evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '90s' } }),
    ).toEqual([]);
  });

  test('a threshold without a grace period is refused', () => {
    expect(found({ evictionSoft: { 'memory.available': '1Gi' } })).toEqual([
      'error EVICTION_GRACE_UNMATCHED evictionSoft/memory.available',
    ]);
  });

  test('a grace period without a threshold is refused', () => {
    expect(found({ evictionSoftGracePeriod: { 'memory.available': '90s' } })).toEqual([
      'error EVICTION_GRACE_UNMATCHED evictionSoftGracePeriod/memory.available',
    ]);
  });

  test('a pair of different signals is none', () => {
    expect(
      found({ evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'pid.available': '90s' } }),
    ).toEqual([
      'error EVICTION_GRACE_UNMATCHED evictionSoft/memory.available',
      'error EVICTION_GRACE_UNMATCHED evictionSoftGracePeriod/pid.available',
    ]);
  });

  test.each(['-1s', '-1ns'])('a grace period of %s is refused', (grace) => {
    expect(
      found({ evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': grace } }),
    ).toEqual(['error VALUE_INVALID evictionSoftGracePeriod/memory.available']);
  });

  test('a grace period that is no duration is of the wrong type', () => {
    expect(
      found({ evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '90' } }),
    ).toContain('error FIELD_TYPE evictionSoftGracePeriod/memory.available');
  });
});

describe('a hard-eviction map that loses defaults', () => {
  const evictionHard = { 'pid.available': '5%', 'memory.available': '100Mi' };
  const options = v114({ kubeletConfig: { maxPods: 30, evictionHard } });

  test('is a warning that shows the merged map to write, where keys of the user win', () => {
    const problem = problemAt('/kubeletConfig/evictionHard', options);
    expect(problem).toMatchObject({ severity: 'warning', code: 'EVICTION_DEFAULTS_LOST' });
    expect(problem.hint).toContain(
      '{memory.available: "100Mi", nodefs.available: "10%", nodefs.inodesFree: "5%", pid.available: "5%"}',
    );
  });

  test('names the thresholds that are lost, and no other', () => {
    const { message } = problemAt('/kubeletConfig/evictionHard', options);
    expect(message).toContain('nodefs.available 10% and nodefs.inodesFree 5%');
    expect(message).not.toContain('750Mi');
  });

  test('is none when all of them are there, or when the map is empty', () => {
    expect(found({ evictionHard: DEFAULTS })).toEqual([]);
    expect(found({ evictionHard: {} })).toEqual([]);
  });
});
