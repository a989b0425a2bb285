import { describe, expect, test } from 'vitest';
import {
  CA_BUNDLE,
  findings,
  LENIENT,
  problemAt,
  SEED,
  TOKEN,
  v040,
  v114,
  variablesOf,
} from '../../../test/support/options.ts';
import { VARIABLES } from './variables.ts';

function found(overrides: unknown, settings = {}): string[] {
  return findings(v114({ overrides }), settings).map((line) => line.replace(' /overrides/', ' '));
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

const FIXED = VARIABLES.filter(({ origin }) => origin === 'fixed');

describe('fields', () => {
  test.each(VARIABLES.filter(({ origin }) => origin === 'option' || origin === 'computed').map(({ field }) => field))(
    '%s is derived from options and is refused, in lenient mode as well',
    (field) => {
      const value = { boolean: true, integer: 1, string: 'x', 'string list': ['x'] }[
        VARIABLES.find((fact) => fact.field === field)!.type
      ];
      expect(found({ [field]: value }, LENIENT)).toEqual([`error OVERRIDE_DERIVED ${field}`]);
    },
  );

  test.each<[string, unknown]>([
    ['isCustomCloud', true],
    ['isAKSCustomCloud', true],
    ['customEnvJSON', '{}'],
    ['aksCustomCloudRepoDepotEndpoint', 'https://depot'],
    ['initAKSCustomCloudFilepath', '/opt/x.sh'],
  ])('%s belongs to custom clouds and is refused, in lenient mode as well', (field, value) => {
    expect(found({ [field]: value }, LENIENT)).toEqual([`error OVERRIDE_CUSTOM_CLOUD ${field}`]);
  });

  test('a misspelt one is refused with the nearest name', () => {
    expect(problemAt('/overrides/swapFileSizeMb', v114({ overrides: { swapFileSizeMb: 1 } }))).toMatchObject({
      severity: 'error',
      code: 'FIELD_UNKNOWN',
    });
    expect(problemAt('/overrides/swapFileSizeMb', v114({ overrides: { swapFileSizeMb: 1 } })).hint).toContain(
      '`swapFileSizeMB`',
    );
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is no field', (field) => {
    const overrides = JSON.parse(`{"${field}": "x"}`) as unknown;
    expect(found(overrides)).toEqual([`error FIELD_UNKNOWN ${field}`]);
  });

  test.each<[string, unknown]>([
    ['cseTimeout', '20m'],
    ['mcrRepositoryBase', 'mcr.example.com'],
    ['enableIMDSRestriction', true],
    ['enableKubeletServingCertificateRotation', true],
  ])('%s is not in aks/v0.4.0', (field, value) => {
    expect(findings(v040({ overrides: { [field]: value } }), SEED)).toEqual([
      `error FIELD_WRONG_PROFILE /overrides/${field}`,
    ]);
    expect(found({ [field]: value })).toEqual([]);
  });

  test('null is absent', () => {
    expect(found({ swapFileSizeMB: null, adminUsername: null })).toEqual([]);
    expect(variablesOf(v114({ overrides: { adminUsername: null } }))['ADMINUSER']).toBe('azureuser');
    expect(findings(v114({ overrides: null }))).toEqual([]);
  });

  test('one that nothing reads is a warning', () => {
    expect(found({ mobyVersion: '1' })).toEqual(['warning OVERRIDE_DEAD mobyVersion']);
  });

  test.each(FIXED.filter(({ profiles, readers }) => profiles.includes('aks/v1.14') && readers.length > 0))(
    '$field may be set to what it is anyway',
    (fact) => {
      // A switch that is off and a companion that is empty are what the profile has.
      expect(found({ [fact.field]: fact.field === 'sysctlContent' ? base64('a=b\n') : fact.default })).toEqual([]);
    },
  );
});

describe('types', () => {
  test.each<[string, unknown]>([
    ['disableSSH', 'true'],
    ['disableSSH', 1],
    ['swapFileSizeMB', '2048'],
    ['swapFileSizeMB', 1.5],
    ['adminUsername', 5],
    ['customCATrustConfigCerts', base64('x')],
    ['cloudProviderBackoffRetries', 6],
  ])('%s is not %j, in lenient mode as well', (field, value) => {
    expect(found({ [field]: value }, LENIENT)).toEqual([`error FIELD_TYPE ${field}`]);
  });

  test('a list names the item that is wrong', () => {
    expect(found({ customCATrustConfigCerts: [CA_BUNDLE, 5] })).toEqual([
      'error FIELD_TYPE customCATrustConfigCerts/1',
    ]);
  });

  test.each(['text', 5, true, ['a']])('overrides are a mapping and not %j', (overrides) => {
    expect(findings(v114({ overrides }), LENIENT)).toEqual(['error FIELD_TYPE /overrides']);
  });
});

describe('values', () => {
  test.each<[string, unknown, string]>([
    ['adminUsername', 'core', 'ADMINUSER'],
    ['vmType', 'vmss', 'VM_TYPE'],
    ['loadBalancerSKU', 'Basic', 'LOAD_BALANCER_SKU'],
    ['cloudProviderBackoffRetries', '0', 'CLOUDPROVIDER_BACKOFF_RETRIES'],
    ['cloudProviderRatelimitQPS', '1.5', 'CLOUDPROVIDER_RATELIMIT_QPS'],
    ['maximumLoadbalancerRuleCount', 148, 'MAXIMUM_LOADBALANCER_RULE_COUNT'],
    ['disableSSH', true, 'DISABLE_SSH'],
    ['enableUnattendedUpgrades', true, 'ENABLE_UNATTENDED_UPGRADES'],
    ['ipv6DualStackEnabled', true, 'IPV6_DUAL_STACK_ENABLED'],
    ['messageOfTheDay', base64('hello\n'), 'MESSAGE_OF_THE_DAY'],
    ['cseTimeout', '20m', 'CSE_TIMEOUT'],
    ['mcrRepositoryBase', 'registry.example.com', 'MCR_REPOSITORY_BASE'],
    ['outboundCommand', 'curl --silent https://example.com', 'OUTBOUND_COMMAND'],
    ['customKubeBinaryURL', 'https://example.com/kubelet.tar.gz?sig=a%2Bb', 'CUSTOM_KUBE_BINARY_URL'],
  ])('%s takes %j and reaches %3$s', (field, value, variable) => {
    expect(found({ [field]: value })).toEqual([]);
    expect(variablesOf(v114({ overrides: { [field]: value } }))[variable]).toBe(String(value));
  });

  test.each<[string, unknown]>([
    ['adminUsername', 'Root'],
    ['adminUsername', 'a b'],
    ['adminUsername', ''],
    ['vmType', 'scaleset'],
    ['loadBalancerSKU', 'Premium'],
    ['cloudProviderBackoffRetries', ''],
    ['cloudProviderBackoffRetries', 'six'],
    ['cloudProviderBackoffRetries', '06'],
    ['maximumLoadbalancerRuleCount', -1],
    ['messageOfTheDay', 'hello'],
    ['sysctlContent', base64('no assignment')],
    ['cseTimeout', '15 m'],
    ['cseTimeout', '0'],
    ['cseTimeout', '15min'],
    ['cseTimeout', ''],
    ['mcrRepositoryBase', 'https://registry.example.com'],
    ['mcrRepositoryBase', ''],
    ['customKubeBinaryURL', 'ftp://example.com'],
    ['customKubeBinaryURL', 'https://example.com/$(id)'],
    ['targetCloud', 'AzureGermanCloud'],
    ['cseHelpersFilepath', 'provision_source.sh'],
    ['cseHelpersFilepath', '/opt/a b.sh'],
    ['azureEnvironmentFilepath', 'azure.json'],
  ])('%s does not take %j', (field, value) => {
    expect(found({ [field]: value })).toContain(`error OVERRIDE_INVALID ${field}`);
    expect(found({ [field]: value }, LENIENT)).toContain(`warning OVERRIDE_INVALID ${field}`);
  });

  test.each(['"', '\\', '\n', '\t', '\u007f'])('azure.json cannot carry %j', (character) => {
    expect(found({ primaryScaleSet: `a${character}b` })).toEqual(['error CHARACTER_UNSAFE primaryScaleSet']);
  });

  test('customCATrustConfigCerts does not take an empty entry', () => {
    expect(found({ customCATrustConfigCerts: [CA_BUNDLE, ''] })).toEqual([
      'error OVERRIDE_INVALID customCATrustConfigCerts/1',
    ]);
  });

  test.each(['customCATrustConfigCerts', 'httpProxyTrustedCA'])('%s warns of what is no certificate', (field) => {
    const value = field === 'customCATrustConfigCerts' ? ['aGVsbG8='] : 'aGVsbG8=';
    const problems = found({ httpProxyURLs: 'http://proxy:3128', [field]: value });
    expect(problems).toEqual([expect.stringMatching(`^warning VALUE_UNUSUAL ${field}`)]);
  });

  test.each(['customCATrustConfigCerts', 'httpProxyTrustedCA'])('%s does not take a private key', (field) => {
    const pem = `${Buffer.from(CA_BUNDLE, 'base64').toString()}-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n`;
    const key = Buffer.from(pem).toString('base64');
    const value = field === 'customCATrustConfigCerts' ? [key] : key;
    const problems = found({ httpProxyURLs: 'http://proxy:3128', [field]: value });
    expect(problems).toEqual([expect.stringMatching(`^error BUNDLE_PRIVATE_KEY ${field}`)]);
  });

  test('a secret that does not fit is not shown', () => {
    for (const field of ['httpProxyURLs', 'httpProxyTrustedCA', 'servicePrincipalFileContent']) {
      const overrides = {
        [field]: 'hunter2 hunter2',
        ...(field === 'httpProxyTrustedCA' && { httpProxyURLs: 'http://p' }),
      };
      const problems = JSON.stringify(findings(v114({ overrides }))) + problemText(overrides);
      expect(problems).not.toContain('hunter2');
      expect(problems).toContain('OVERRIDE_INVALID');
    }
  });

  test('a token that strayed into another field is not shown', () => {
    expect(problemText({ adminUsername: TOKEN })).not.toContain(TOKEN);
  });
});

function problemText(overrides: Record<string, unknown>): string {
  return Object.keys(overrides)
    .filter((field) => found(overrides).some((line) => line.endsWith(`OVERRIDE_INVALID ${field}`)))
    .map((field) => JSON.stringify(problemAt(`/overrides/${field}`, v114({ overrides }))))
    .join();
}

describe('settings that the containerd configuration decides', () => {
  test('another cgroup driver is refused', () => {
    expect(found({ needsCgroupV2: false })).toEqual(['error COMPANION_CONFLICT needsCgroupV2']);
    expect(found({ needsCgroupV2: true })).toEqual([]);
  });

  test('Kata is refused', () => {
    expect(found({ isKata: true })).toEqual(['error COMPANION_MISSING isKata']);
  });
});
