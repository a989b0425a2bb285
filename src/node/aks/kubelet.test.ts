import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kubeletFlagsOf, LENIENT, SEED, v040, v114, variablesOf } from '../../../test/support/options.ts';
import { RefusedError } from '../../core/errors.ts';
import { joinParameterArgsToMap, kubeletConfigToMap, mergeFeatureGates } from './kubelet.ts';
import type { KubeletConfiguration } from './options.ts';
import { assess } from './bootstrap.ts';
import { profileOf } from './profiles.ts';

describe('kubeletConfigToMap', () => {
  test.each<[KubeletConfiguration, Record<string, string>]>([
    [{ maxPods: 30 }, { '--max-pods': '30' }],
    [{ maxPods: 0 }, { '--max-pods': '0' }],
    [{ podsPerCore: 10 }, { '--pods-per-core': '10' }],
    [{ clusterDNSServiceIP: '10.0.0.5' }, { '--cluster-dns': '10.0.0.5' }],
    [{ clusterDNSServiceIP: '' }, {}],
    [{ clusterDNS: ['10.0.0.5'] }, {}],
    [{ kubeReserved: { memory: '1Gi', cpu: '100m' } }, { '--kube-reserved': 'cpu=100m,memory=1Gi' }],
    [{ systemReserved: { pid: '1000' } }, { '--system-reserved': 'pid=1000' }],
    [{ systemReserved: {} }, {}],
    [
      { evictionHard: { 'nodefs.available': '10%', 'memory.available': '1Gi' } },
      { '--eviction-hard': 'memory.available<1Gi,nodefs.available<10%' },
    ],
    [{ evictionSoft: { 'memory.available': '2Gi' } }, { '--eviction-soft': 'memory.available<2Gi' }],
    [
      { evictionSoftGracePeriod: { 'memory.available': '90s', x: '1h' } },
      { '--eviction-soft-grace-period': 'memory.available=1m30s,x=1h0m0s' },
    ],
    [{ evictionMaxPodGracePeriod: -1 }, { '--eviction-max-pod-grace-period': '-1' }],
    [
      { imageGCHighThresholdPercent: 90, imageGCLowThresholdPercent: 0 },
      { '--image-gc-high-threshold': '90', '--image-gc-low-threshold': '0' },
    ],
    [{ cpuCFSQuota: false }, { '--cpu-cfs-quota': 'false' }],
    [
      { cpuManagerPolicy: 'static', topologyManagerPolicy: 'none' },
      { '--cpu-manager-policy': 'static', '--topology-manager-policy': 'none' },
    ],
    [{ cpuManagerPolicy: '', topologyManagerPolicy: '', containerLogMaxSize: '' }, {}],
    [
      { containerLogMaxSize: '50Mi', containerLogMaxFiles: 3 },
      { '--container-log-max-size': '50Mi', '--container-log-max-files': '3' },
    ],
    [{ podPidsLimit: 4096 }, { '--pod-max-pids': '4096' }],
    [{ podPidsLimit: Number.MAX_SAFE_INTEGER }, { '--pod-max-pids': '9007199254740991' }],
    [{ allowedUnsafeSysctls: ['net.b', 'net.a'] }, { '--allowed-unsafe-sysctls': 'net.b,net.a' }],
    [{ allowedUnsafeSysctls: [] }, {}],
    [{}, {}],
  ])('%j gives %j', (config, expected) => {
    expect(kubeletConfigToMap(config)).toEqual(expected);
  });

  test.each([null, undefined])('%s gives an empty record', (config) => {
    expect(kubeletConfigToMap(config)).toEqual({});
  });

  test('null means absent, field by field', () => {
    expect(kubeletConfigToMap({ maxPods: null, cpuCFSQuota: null, kubeReserved: null })).toEqual({});
  });

  test('a field of the wrong type is refused with its path', () => {
    const config = { maxPods: '30' } as unknown as KubeletConfiguration;
    expect(() => kubeletConfigToMap(config)).toThrow(RefusedError);
    expect(() => kubeletConfigToMap(config)).toThrow('/maxPods');
  });
});

describe('joinParameterArgsToMap', () => {
  function joined(map: Parameters<typeof joinParameterArgsToMap>[2], separator = '='): Record<string, string> {
    const result = { '--other': 'stays' };
    joinParameterArgsToMap(result, '--flag', map, separator);
    return result;
  }

  test('entries are sorted and separated by commas', () => {
    expect(joined({ b: '2', a: '1' }, '<')).toEqual({ '--other': 'stays', '--flag': 'a<1,b<2' });
  });

  test('a map and a record give the same', () => {
    expect(
      joined(
        new Map([
          ['b', 2],
          ['a', 1],
        ]),
      ),
    ).toEqual(joined({ b: 2, a: 1 }));
  });

  test.each([[{}], [null], [undefined], [new Map()]])('%j leaves an entry that is there already', (map) => {
    const result = { '--flag': 'before' };
    joinParameterArgsToMap(result, '--flag', map, '=');
    expect(result).toEqual({ '--flag': 'before' });
  });

  test('entries are sorted by code unit as whole entries, whatever their order', () => {
    const map = fc.dictionary(fc.string({ unit: 'binary', minLength: 1 }), fc.string());
    fc.assert(
      fc.property(map, (entries) => {
        const forward = joined(new Map(Object.entries(entries)));
        expect(joined(new Map(Object.entries(entries).toReversed()))).toEqual(forward);
        const sorted = Object.entries(entries)
          .map((entry) => entry.join('='))
          .toSorted();
        expect(forward['--flag']).toBe(sorted.length > 0 ? sorted.join(',') : undefined);
      }),
      { seed: 1 },
    );
  });
});

describe('the flags of a node', () => {
  test('the configuration wins over the base flags', () => {
    const flags = kubeletFlagsOf(
      v114({ kubeletConfig: { maxPods: 30, podPidsLimit: 100, clusterDNSServiceIP: '10.1.0.10' } }),
    );
    expect(flags).toMatchObject({ '--max-pods': '30', '--pod-max-pids': '100', '--cluster-dns': '10.1.0.10' });
  });

  test('without a configuration there are 110 Pods on both profiles', () => {
    expect(kubeletFlagsOf(v114())['--max-pods']).toBe('110');
    expect(kubeletFlagsOf(v040(), SEED)['--max-pods']).toBe('110');
  });

  test('a configuration without maxPods gives 0 on aks/v1.14 under lenient, and 110 on aks/v0.4.0', () => {
    expect(kubeletFlagsOf(v114({ kubeletConfig: {} }), LENIENT)['--max-pods']).toBe('0');
    expect(kubeletFlagsOf(v040({ kubeletConfig: {} }), SEED)['--max-pods']).toBe('110');
  });

  test('a hard-eviction map replaces the base thresholds, and an empty one does not', () => {
    const flag = '--eviction-hard';
    expect(
      kubeletFlagsOf(v114({ kubeletConfig: { maxPods: 30, evictionHard: { 'memory.available': '1Gi' } } }))[flag],
    ).toBe('memory.available<1Gi');
    expect(kubeletFlagsOf(v114({ kubeletConfig: { maxPods: 30, evictionHard: {} } }))[flag]).toContain('nodefs');
  });

  test('are printed sorted, with one blank between', () => {
    const taints = [{ key: 'k', effect: 'NoSchedule' }];
    const { bootstrap } = assess(
      v114({ taints, kubeletConfig: { maxPods: 30, cpuCFSQuota: true } }),
      profileOf('aks/v1.14'),
    );
    const words = bootstrap!.flags.print().split(' ');
    expect(words.toSorted()).toEqual(words);
    expect(words).toContain('--register-with-taints=k:NoSchedule');
    expect(words.every((word) => /^--[a-z-]+=/.test(word))).toBe(true);
    expect(variablesOf(v114())).not.toHaveProperty('KUBELET_FLAGS');
  });
});

describe('settings that Go drops', () => {
  const kubeletConfig = { maxPods: 30, cpuCFSQuotaPeriod: '50ms', failSwapOn: false };

  test('become flags in strict mode, with the feature gate that they need', () => {
    expect(kubeletFlagsOf(v114({ kubeletConfig }))).toMatchObject({
      '--cpu-cfs-quota-period': '50ms',
      '--fail-swap-on': 'false',
      '--feature-gates': 'CustomCPUCFSQuotaPeriod=true',
    });
  });

  test('the gate is merged into the one that a version has already', () => {
    expect(kubeletFlagsOf(v114({ kubeletConfig, kubernetesVersion: '1.29.5' }))['--feature-gates']).toBe(
      'CustomCPUCFSQuotaPeriod=true,DisableKubeletCloudCredentialProviders=false',
    );
  });

  test('are dropped under lenient', () => {
    const flags = kubeletFlagsOf(v114({ kubeletConfig, kubernetesVersion: '1.29.5' }), LENIENT);
    expect(flags).not.toHaveProperty('--cpu-cfs-quota-period');
    expect(flags).not.toHaveProperty('--fail-swap-on');
    expect(flags['--feature-gates']).toBe('DisableKubeletCloudCredentialProviders=false');
  });
});

test('feature gates are merged in order of their names', () => {
  expect(mergeFeatureGates('B=true,C=false', 'A=true')).toBe('A=true,B=true,C=false');
  expect(mergeFeatureGates(undefined, 'A=true')).toBe('A=true');
});
