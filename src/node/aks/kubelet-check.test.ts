import { describe, expect, test } from 'vitest';
import { findings, LENIENT, problemAt, SEED, v040, v114 } from '../../../test/support/options.ts';

/** Findings for a kubelet configuration on aks/v1.14, paths below /kubeletConfig. */
function found(kubeletConfig: Record<string, unknown>, settings = {}): string[] {
  return findings(v114({ kubeletConfig: { maxPods: 30, ...kubeletConfig } }), settings).map((line) =>
    line.replace(' /kubeletConfig/', ' '),
  );
}

describe('maxPods', () => {
  test.each<[unknown, string[]]>([
    [undefined, ['error FIELD_MISSING maxPods']],
    [null, ['error FIELD_MISSING maxPods']],
    [0, ['error VALUE_INVALID maxPods']],
    [-1, ['error VALUE_INVALID maxPods']],
    [9, ['warning VALUE_UNUSUAL maxPods']],
    [10, []],
    [250, []],
    [251, ['warning VALUE_UNUSUAL maxPods']],
  ])('%j on aks/v1.14: %j', (maxPods, expected) => {
    expect(found({ maxPods })).toEqual(expected);
  });

  test('may be absent on aks/v0.4.0', () => {
    expect(findings(v040({ kubeletConfig: {} }), SEED)).toEqual([]);
  });
});

describe.each(['kubeReserved', 'systemReserved'])('%s', (field) => {
  test.each(['cpu', 'memory', 'ephemeral-storage', 'pid'])('takes %s', (key) => {
    expect(found({ [field]: { [key]: '100' } })).toEqual([]);
  });

  test.each(['CPU', 'storage', 'nvidia.com/gpu', 'cpu=1,memory', ''])('does not take the key %j', (key) => {
    expect(found({ [field]: { [key]: '1' } })).toEqual([`error VALUE_INVALID ${field}/${key.replace('/', '~1')}`]);
  });

  test.each(['', '-1', '10%', '1 Gi', '1GB', 'x', '1Gi,memory=2Gi'])('does not take the amount %j', (value) => {
    expect(found({ [field]: { memory: value } })).toEqual([`error VALUE_INVALID ${field}/memory`]);
  });

  test.each(['0', '100m', '1.5Gi', '1e9'])('takes the amount %s', (value) => {
    expect(found({ [field]: { memory: value } })).toEqual([]);
  });
});

describe('image collection', () => {
  const HIGH = 'imageGCHighThresholdPercent';
  const LOW = 'imageGCLowThresholdPercent';

  test.each<[number | undefined, number | undefined, string[]]>([
    [85, 80, []],
    [100, 0, []],
    [81, undefined, []],
    [undefined, 84, []],
    [80, undefined, [`error VALUE_INVALID ${HIGH}`]],
    [undefined, 85, [`error VALUE_INVALID ${LOW}`]],
    [50, 50, [`error VALUE_INVALID ${LOW}`]],
    [40, 60, [`error VALUE_INVALID ${LOW}`]],
    [101, 80, [`error VALUE_INVALID ${HIGH}`]],
    [85, -1, [`error VALUE_INVALID ${LOW}`]],
  ])('high %s with low %s: %j', (high, low, expected) => {
    expect(found({ [HIGH]: high, [LOW]: low })).toEqual(expected);
  });
});

describe('policies', () => {
  const kubeReserved = { cpu: '100m' };

  test.each(['', 'none', 'static'])('the CPU policy %j is one', (cpuManagerPolicy) => {
    expect(found({ cpuManagerPolicy, kubeReserved })).toEqual([]);
  });

  test.each(['Static', 'dynamic', 'static '])('the CPU policy %j is none', (cpuManagerPolicy) => {
    expect(found({ cpuManagerPolicy, kubeReserved })).toEqual(['error VALUE_INVALID cpuManagerPolicy']);
  });

  test.each(['', 'none', 'best-effort', 'restricted', 'single-numa-node'])(
    'the topology policy %j is one',
    (policy) => {
      expect(found({ topologyManagerPolicy: policy })).toEqual([]);
    },
  );

  test('another topology policy is none', () => {
    expect(found({ topologyManagerPolicy: 'single-numa' })).toEqual(['error VALUE_INVALID topologyManagerPolicy']);
  });

  test.each<[string, Record<string, unknown>]>([
    ['no reservation', {}],
    ['a reservation of memory alone', { kubeReserved: { memory: '1Gi' } }],
    ['a reservation of no CPU', { kubeReserved: { cpu: '0' }, systemReserved: { cpu: '0m' } }],
  ])('the static policy is refused with %s', (_, config) => {
    expect(found({ cpuManagerPolicy: 'static', ...config })).toEqual(['error COMPANION_MISSING cpuManagerPolicy']);
  });

  test('the static policy is content with CPU that is reserved for the system', () => {
    expect(found({ cpuManagerPolicy: 'static', systemReserved: { cpu: '1' } })).toEqual([]);
  });
});

describe('container logs', () => {
  test.each(['1', '50Mi', '10M', '1e6', ''])('the size %j is fine', (containerLogMaxSize) => {
    expect(found({ containerLogMaxSize })).toEqual([]);
  });

  test.each(['0', '-1', '10%', '10 Mi', '1.5Gi', '100m', '10MB'])('the size %j is refused', (containerLogMaxSize) => {
    expect(found({ containerLogMaxSize })).toEqual(['error VALUE_INVALID containerLogMaxSize']);
  });

  test('one file is too few and two are enough', () => {
    expect(found({ containerLogMaxFiles: 1 })).toEqual(['error VALUE_INVALID containerLogMaxFiles']);
    expect(found({ containerLogMaxFiles: 2 })).toEqual([]);
  });
});

describe('unsafe sysctls', () => {
  test.each([
    'net.core.somaxconn',
    'net.*',
    'kernel.msg*',
    'kernel.shm_rmid_forced',
    'kernel.sem',
    'fs.mqueue.*',
    'net/ipv4/tcp_syncookies',
  ])('%s may be allowed', (name) => {
    expect(found({ allowedUnsafeSysctls: [name] })).toEqual([]);
  });

  test.each([
    '',
    '*',
    'kernel.*',
    'vm.swappiness',
    'net',
    'net*',
    'net.core.*.x',
    'net..core',
    'Net.core',
    'net.core,kernel.sem',
    'net.core=1',
    'kernel.semx',
    'fs.mqueue',
  ])('%j may not', (name) => {
    expect(found({ allowedUnsafeSysctls: ['net.a', name] })).toEqual(['error VALUE_INVALID allowedUnsafeSysctls/1']);
  });
});

describe('clusterDNSServiceIP', () => {
  test.each(['10.100.0.10', 'fd00::a', '::1', ''])('%j is fine', (clusterDNSServiceIP) => {
    expect(found({ clusterDNSServiceIP })).toEqual([]);
  });

  test.each([
    '10.0.0',
    '10.0.0.256',
    '10.0.0.010',
    'kube-dns',
    '10.0.0.10,10.0.0.11',
    '10.0.0.10/24',
    '[fd00::a]',
    'fe80::1%eth0',
    ' 10.0.0.10',
  ])('%j is refused', (clusterDNSServiceIP) => {
    expect(found({ clusterDNSServiceIP })).toEqual(['error VALUE_INVALID clusterDNSServiceIP']);
  });

  test('on aks/v0.4.0 the old field is refused, since Go drops it, and the hint names the new one', () => {
    const options = v040({ kubeletConfig: { clusterDNS: ['10.0.0.5'] } });
    expect(problemAt('/kubeletConfig/clusterDNS', options, SEED)).toMatchObject({
      severity: 'error',
      code: 'FIELD_DROPPED',
    });
    expect(problemAt('/kubeletConfig/clusterDNS', options, SEED).hint).toContain('clusterDNSServiceIP');
    expect(findings(v040({ kubeletConfig: { clusterDNS: [] } }), SEED)).toEqual([]);
  });

  test('on aks/v1.14 the old field is of the other profile', () => {
    const options = v114({ kubeletConfig: { maxPods: 30, clusterDNS: ['10.0.0.5'] } });
    expect(problemAt('/kubeletConfig/clusterDNS', options).code).toBe('FIELD_WRONG_PROFILE');
    expect(problemAt('/kubeletConfig/clusterDNS', options).hint).toContain('clusterDNSServiceIP');
  });
});

describe('cpuCFSQuotaPeriod', () => {
  test.each(['1ms', '1s', '100ms', '1000000ns', '.5s'])(
    '%s is within the range, and the flag is a warning',
    (period) => {
      expect(found({ cpuCFSQuotaPeriod: period })).toEqual(['warning FLAG_ADDED cpuCFSQuotaPeriod']);
    },
  );

  test.each(['0', '999us', '999999ns', '1001ms', '1m', '-50ms'])('%s is not', (period) => {
    expect(found({ cpuCFSQuotaPeriod: period })).toContain('error VALUE_INVALID cpuCFSQuotaPeriod');
  });

  test('the warning names the gate', () => {
    const options = v114({ kubeletConfig: { maxPods: 30, cpuCFSQuotaPeriod: '50ms' } });
    expect(problemAt('/kubeletConfig/cpuCFSQuotaPeriod', options).message).toContain('CustomCPUCFSQuotaPeriod=true');
  });

  test.each(['1d', '50', 'fast', ''])('%j is no duration, in lenient mode as well', (period) => {
    expect(found({ cpuCFSQuotaPeriod: period }, LENIENT)).toEqual(['error FIELD_TYPE cpuCFSQuotaPeriod']);
  });
});

test('what lenient drops is a warning', () => {
  expect(found({ cpuCFSQuotaPeriod: '50ms', failSwapOn: false }, LENIENT)).toEqual([
    'warning FIELD_DROPPED cpuCFSQuotaPeriod',
    'warning FIELD_DROPPED failSwapOn',
  ]);
});

test('the flag of failSwapOn is a warning', () => {
  expect(found({ failSwapOn: true })).toEqual(['warning FLAG_ADDED failSwapOn']);
});

test('fewer than no Pods per core are refused', () => {
  const path = '/kubeletConfig/podsPerCore';
  expect(findings(v040({ kubeletConfig: { podsPerCore: -1 } }), SEED)).toEqual([`error VALUE_INVALID ${path}`]);
  expect(findings(v040({ kubeletConfig: { podsPerCore: 0 } }), SEED)).toEqual([]);
});

describe('sysctls, as a kubelet of 1.33 takes them', () => {
  test.each([
    'kernel.shmmax',
    'kernel.sem',
    'kernel.shm*',
    'kernel.msg*',
    'kernel.sem*',
    'net.*',
    'fs.mqueue.msg_max',
    'fs/mqueue/msg_max',
    'net/ipv4/ip_forward',
  ])('%s is taken', (name) => {
    expect(findings(v114({ kubeletConfig: { maxPods: 30, allowedUnsafeSysctls: [name] } }))).toEqual([]);
  });

  test.each([
    'kernel.msg_next_id',
    'kernel.shm_next_id',
    'kernel.shma*',
    'kernel.m*',
    'net*',
    'fs.mqueue/x',
    '*',
    'vm.swappiness',
  ])('%s is refused', (name) => {
    const path = '/kubeletConfig/allowedUnsafeSysctls/0';
    expect(findings(v114({ kubeletConfig: { maxPods: 30, allowedUnsafeSysctls: [name] } }))).toEqual([
      `error VALUE_INVALID ${path}`,
    ]);
  });
});
