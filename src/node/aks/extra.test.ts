import { describe, expect, test } from 'vitest';
import { findings, LENIENT, problemAt, SEED, v040, v114, variablesOf } from '../../../test/support/options.ts';
import { VARIABLES } from './variables.ts';

function found(extraVariables: unknown, settings = {}): string[] {
  return findings(v114({ extraVariables }), settings).map((line) => line.replace(' /extraVariables/', ' '));
}

describe('taken', () => {
  test.each([
    'DISABLE_PUBKEY_AUTH',
    'PROXY_VARS',
    'CONTAINERD_CONFIG_NO_GPU_CONTENT',
    'BOOTSTRAP_PROFILE_CONTAINER_REGISTRY_SERVER',
    'SHOULD_ENABLE_LOCALDNS',
    'LOCALDNS_GENERATED_COREFILE',
    'ARTIFACT_STREAMING_ENABLED',
    'SECURE_TLS_BOOTSTRAPPING_AAD_RESOURCE',
    'SHOULD_CONFIG_CONTAINERD_ULIMITS',
    'ENABLE_MANAGED_GPU_DRA',
    'NVIDIA_MIG_STRATEGY',
    'STANDARD_SECONDARY_NIC_COUNT',
    'PRE_PROVISION_ONLY',
    'SKIP_WAAGENT_HOLD',
    'ARM_RESOURCE_ENDPOINT',
    'SERVICE_ACCOUNT_IMAGE_PULL_ENABLED',
    'PRIVATE_KUBE_BINARY_URL',
    'KUBELET_IMAGE',
  ])('%s is known to be read', (name) => {
    expect(found({ [name]: 'x' })).toEqual([]);
  });

  test('any value is carried as it is', () => {
    for (const value of ['', "it's", '$(id)', 'a\nb', '👍']) {
      expect(variablesOf(v114({ extraVariables: { KUBELET_IMAGE: value } }))['KUBELET_IMAGE']).toBe(value);
    }
  });

  test('an unknown name is a warning, with the nearest known one', () => {
    expect(found({ MY_OWN_VARIABLE: 'x' })).toEqual(['warning EXTRA_VARIABLE_UNKNOWN MY_OWN_VARIABLE']);
    expect(
      problemAt('/extraVariables/DISABLE_PUBKEY_AUHT', v114({ extraVariables: { DISABLE_PUBKEY_AUHT: 'x' } })).hint,
    ).toContain('`DISABLE_PUBKEY_AUTH`');
  });

  test('a null entry is left out with a warning', () => {
    expect(found({ KUBELET_IMAGE: null })).toEqual(['warning NULL_ENTRY KUBELET_IMAGE']);
    expect(variablesOf(v114({ extraVariables: { KUBELET_IMAGE: null } }))).not.toHaveProperty('KUBELET_IMAGE');
  });
});

describe('refused, in lenient mode as well', () => {
  test.each(['', '1A', 'A-B', 'A B', 'A=B', 'A;id', '$(id)', 'Ä', 'A\n', '__proto__ '])(
    '%j, which is no name of a variable',
    (name) => {
      expect(found({ [name]: 'x' }, LENIENT)).toEqual([`error NAME_INVALID ${name}`]);
    },
  );

  test.each([
    'PATH',
    'IFS',
    'ENV',
    'BASH_ENV',
    'BASHOPTS',
    'SHELLOPTS',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'UID',
    'EUID',
    'PPID',
    'PS4',
    'HOME',
    'PWD',
    '_',
    'REPO_DEPOT_ENDPOINT',
    'CUSTOM_CA_CERT_0',
  ])('%s, which belongs to the shell or the script', (name) => {
    expect(found({ [name]: 'x' }, LENIENT)).toEqual([`error EXTRA_VARIABLE_RESERVED ${name}`]);
  });

  test('every variable that the profile assigns itself', () => {
    for (const [options, settings, profile] of [
      [v114, LENIENT, 'aks/v1.14'],
      [v040, { ...SEED, lenient: true }, 'aks/v0.4.0'],
    ] as const) {
      const own = VARIABLES.filter(({ profiles }) => profiles.includes(profile)).flatMap(
        ({ variable }) => variable ?? [],
      );
      const extraVariables = Object.fromEntries(own.map((name) => [name, 'x']));
      expect(findings(options({ extraVariables }), settings)).toEqual(
        own.toSorted().map((name) => `error EXTRA_VARIABLE_RESERVED /extraVariables/${name}`),
      );
    }
  });

  test('with the override or the option that sets it in the hint', () => {
    expect(problemAt('/extraVariables/CSE_TIMEOUT', v114({ extraVariables: { CSE_TIMEOUT: 'x' } })).hint).toContain(
      'overrides.cseTimeout',
    );
    expect(problemAt('/extraVariables/LOCATION', v114({ extraVariables: { LOCATION: 'x' } })).hint).toContain(
      'location',
    );
  });

  test.each<[unknown]>([[true], [5], [['x']], [{}]])('the value %j, which is not shown', (value) => {
    expect(found({ KUBELET_IMAGE: value }, LENIENT)).toEqual(['error FIELD_TYPE KUBELET_IMAGE']);
  });

  test('NUL, which no variable can carry', () => {
    expect(found({ KUBELET_IMAGE: 'a\0b' }, LENIENT)).toEqual(['error ENCODING_INVALID KUBELET_IMAGE']);
  });
});

test('KUBENET_TEMPLATE is extra on aks/v1.14 alone', () => {
  expect(found({ KUBENET_TEMPLATE: 'eA==' })).toEqual([]);
  expect(findings(v040({ extraVariables: { KUBENET_TEMPLATE: 'eA==' } }), SEED)).toEqual([
    'error EXTRA_VARIABLE_RESERVED /extraVariables/KUBENET_TEMPLATE',
  ]);
});
