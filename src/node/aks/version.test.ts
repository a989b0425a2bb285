import { describe, expect, test } from 'vitest';
import {
  findings,
  kubeletFlagsOf,
  LENIENT,
  problemAt,
  SEED,
  v040,
  v114,
  variablesOf,
} from '../../../test/support/options.ts';
import { parseVersion } from './version.ts';

describe('the text', () => {
  test.each([
    ['1.33.7', 33],
    ['1.30.101-akslts', 30],
    ['1.31.0-preview', 31],
    ['1.29.2+x', 29],
    ['1.31.0-rc.1+build.5', 31],
    ['1.31.0-0', 31],
    ['1.31.0-0a', 31],
    ['1.31.0--', 31],
    ['1.31.0+001', 31],
  ])('%s is a version with minor %i', (text, minor) => {
    expect(parseVersion(text)).toEqual({ text, major: 1, minor });
    expect(findings(v114({ kubernetesVersion: text }))).toEqual([]);
  });

  test.each([
    '',
    'v1.30.0',
    '1.30',
    '1',
    '1.30.0.0',
    '1.030.0',
    '01.30.0',
    '1.30.00',
    ' 1.30.0',
    '1.30.0 ',
    '1.30.0\n',
    '1.30.0-',
    '1.30.0+',
    '1.30.0-01',
    '1.30.0-a..b',
    '1.30.0-ä',
    '1.x.0',
    'latest',
    '-1.30.0',
  ])('%j is none', (kubernetesVersion) => {
    expect(parseVersion(kubernetesVersion)).toBeUndefined();
    expect(findings(v114({ kubernetesVersion }))).toEqual(['error VERSION_INVALID /kubernetesVersion']);
  });

  test.each([
    ['v1.30.0', '"1.30.0"'],
    [' 1.30.0', '"1.30.0"'],
    ['1.30', '"1.30.0"'],
    ['v1.30', '"1.30.0"'],
  ])('the hint for %j shows %s', (kubernetesVersion, suggestion) => {
    expect(problemAt('/kubernetesVersion', v114({ kubernetesVersion })).hint).toContain(suggestion);
  });

  test('one that Go panics on stays an error under lenient on aks/v1.14', () => {
    expect(findings(v114({ kubernetesVersion: 'v1.30.0' }), LENIENT)).toEqual([
      'error VERSION_INVALID /kubernetesVersion',
    ]);
  });

  test('any text renders under lenient on aks/v0.4.0, as in Go', () => {
    const options = v040({ kubernetesVersion: 'v1.30.0' });
    expect(findings(options, { ...SEED, lenient: true })).toEqual(['warning VERSION_INVALID /kubernetesVersion']);
    expect(variablesOf(options, { ...SEED, lenient: true })['KUBE_BINARY_URL']).toContain(
      '/kubernetes/vv1.30.0/binaries/',
    );
  });

  test('another major version is refused, and under lenient the minor decides alone, as in Go', () => {
    const options = v114({ kubernetesVersion: '2.0.0' });
    expect(findings(options)).toEqual(['error VERSION_INVALID /kubernetesVersion']);
    expect(findings(options, LENIENT)).toEqual(['warning VERSION_INVALID /kubernetesVersion']);
    expect(kubeletFlagsOf(options, LENIENT)).toHaveProperty('--azure-container-registry-config');
  });
});

describe('versions that a profile was made for', () => {
  test.each([
    ['1.27.99', ['warning VERSION_UNKNOWN /kubernetesVersion']],
    ['1.28.0', []],
    ['1.36.99', []],
    ['1.37.0', ['warning VERSION_UNKNOWN /kubernetesVersion']],
    ['1.37.0-alpha.1', ['warning VERSION_UNKNOWN /kubernetesVersion']],
  ])('aks/v1.14 on %s: %j', (kubernetesVersion, expected) => {
    expect(findings(v114({ kubernetesVersion }))).toEqual(expected);
  });

  test('the warning says whose rules are used', () => {
    expect(problemAt('/kubernetesVersion', v114({ kubernetesVersion: '1.27.0' })).message).toContain('rules of 1.28');
    expect(problemAt('/kubernetesVersion', v114({ kubernetesVersion: '1.37.0' })).message).toContain('rules of 1.36');
  });

  test.each([
    ['1.28.99', []],
    ['1.29.0', ['warning VERSION_UNKNOWN /kubernetesVersion']],
    ['1.29.99', ['warning VERSION_UNKNOWN /kubernetesVersion']],
    ['1.30.0', ['error VERSION_UNSUPPORTED /kubernetesVersion']],
    ['1.36.0', ['error VERSION_UNSUPPORTED /kubernetesVersion']],
  ])('aks/v0.4.0 on %s: %j', (kubernetesVersion, expected) => {
    expect(findings(v040({ kubernetesVersion }), SEED)).toEqual(expected);
  });

  test('aks/v0.4.0 renders 1.30 under lenient, with the flags of every version', () => {
    const settings = { ...SEED, lenient: true };
    expect(kubeletFlagsOf(v040({ kubernetesVersion: '1.30.4' }), settings)).toEqual(kubeletFlagsOf(v040(), SEED));
  });
});

describe('rules of aks/v1.14 that begin or end with a minor version', () => {
  const BINARIES = 'https://acs-mirror.azureedge.net/kubernetes';

  test.each([
    ['--azure-container-registry-config', 29, 30],
    ['--feature-gates', 29, 30],
    ['--keep-terminated-pod-volumes', 30, 31],
    ['--cloud-config', 33, 34],
    ['--pod-infra-container-image', 34, 35],
  ])('%s is there on 1.%i and gone from 1.%i', (flag, last, first) => {
    expect(kubeletFlagsOf(v114({ kubernetesVersion: `1.${last}.99` }))).toHaveProperty(flag);
    expect(kubeletFlagsOf(v114({ kubernetesVersion: `1.${first}.0` }))).not.toHaveProperty(flag);
    expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.28.0' }))).toHaveProperty(flag);
    expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.36.0' }))).not.toHaveProperty(flag);
  });

  test.each(['--image-credential-provider-bin-dir', '--image-credential-provider-config'])(
    '%s is there from 1.30',
    (flag) => {
      expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.29.99' }))).not.toHaveProperty(flag);
      expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.30.0' }))).toHaveProperty(flag);
      expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.36.0' }))).toHaveProperty(flag);
    },
  );

  test.each([
    ['1.28.0', ''],
    ['1.29.99', ''],
    ['1.30.0', '1.30.12'],
    ['1.30.99', '1.30.12'],
    ['1.31.0', '1.31.6'],
    ['1.32.0', '1.32.5'],
    ['1.33.0', '1.33.0'],
    ['1.34.0', '1.33.0'],
    ['1.36.0', '1.33.0'],
  ])('on %s the credential provider is %j', (kubernetesVersion, provider) => {
    const url = variablesOf(v114({ kubernetesVersion, arch: 'arm64' }))['CREDENTIAL_PROVIDER_DOWNLOAD_URL'];
    const expected = `https://acs-mirror.azureedge.net/cloud-provider-azure/v${provider}/binaries/azure-acr-credential-provider-linux-arm64-v${provider}.tar.gz`;
    expect(url).toBe(provider && expected);
  });

  test.each([
    ['1.33.99', `${BINARIES}/v1.33.99/binaries/kubernetes-node-linux-amd64.tar.gz`],
    ['1.33.0-rc.1', `${BINARIES}/v1.33.0-rc.1/binaries/kubernetes-node-linux-amd64.tar.gz`],
    ['1.34.0', ''],
    ['1.36.0', ''],
  ])('on %s the kubelet is downloaded from %j', (kubernetesVersion, url) => {
    expect(variablesOf(v114({ kubernetesVersion }))['KUBE_BINARY_URL']).toBe(url);
  });

  test.each([
    ['1.29.5', 32],
    ['1.30.0', 32],
    ['1.31.0', 31],
    ['1.33.7', 31],
    ['1.34.2', 30],
    ['1.35.5', 29],
  ])('a node of %s without options has %i flags', (kubernetesVersion, count) => {
    expect(Object.keys(kubeletFlagsOf(v114({ kubernetesVersion })))).toHaveLength(count);
  });

  test('a render of one version leaves nothing behind for the next one', () => {
    const fresh = kubeletFlagsOf(v114({ kubernetesVersion: '1.29.5' }));
    kubeletFlagsOf(v114({ kubernetesVersion: '1.30.4', kubeletConfig: { maxPods: 30 } }));
    expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.29.5' }))).toEqual(fresh);
  });
});

test('a number beyond 64 bits is no version', () => {
  expect(findings(v114({ kubernetesVersion: '1.99999999999999999999.0' }))).toEqual([
    'error VERSION_INVALID /kubernetesVersion',
  ]);
});
