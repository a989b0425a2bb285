import { describe, expect, test } from 'vitest';
import {
  CA_BUNDLE,
  findings,
  kubeletFlagsOf,
  LENIENT,
  SEED,
  v040,
  v114,
  variablesOf,
} from '../../../test/support/options.ts';
import { evaluate } from '../../../test/support/node.ts';
import { quote } from '../../format/shell.ts';

type Values = Record<string, unknown>;

function found(overrides: Values, options: Values = {}): string[] {
  return findings(v114({ ...options, overrides })).map((line) => line.replace(' /overrides/', ' '));
}

function rendered(overrides: Values, options: Values = {}): Readonly<Record<string, string>> {
  return variablesOf(v114({ ...options, overrides }));
}

const GPU_ON = {
  gpuNode: true,
  gpuDriverInstallationEnabled: true,
  gpuDriverVersion: '580.159.04',
  gpuDriverType: 'cuda-lts',
  gpuImageSHA: '20260629214430',
};

const SWITCHES: readonly (readonly [field: string, variable: string, member: Values, options: Values])[] = [
  ['shouldConfigureHTTPProxy', 'SHOULD_CONFIGURE_HTTP_PROXY', { httpProxyURLs: 'http://proxy:3128' }, {}],
  ['shouldConfigureHTTPProxy', 'SHOULD_CONFIGURE_HTTP_PROXY', { httpsProxyURLs: 'http://proxy:3128' }, {}],
  ['shouldConfigureCustomCATrust', 'SHOULD_CONFIGURE_CUSTOM_CA_TRUST', { customCATrustConfigCerts: [CA_BUNDLE] }, {}],
  ['shouldConfigSwapFile', 'SHOULD_CONFIG_SWAP_FILE', { swapFileSizeMB: 2048 }, {}],
  ['shouldConfigTransparentHugePage', 'SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE', { thpEnabled: 'never' }, {}],
  ['shouldConfigTransparentHugePage', 'SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE', { thpDefrag: 'defer' }, {}],
  ['migNode', 'MIG_NODE', { gpuInstanceProfile: 'MIG1g' }, GPU_ON],
  ['kubeletConfigFileEnabled', 'KUBELET_CONFIG_FILE_ENABLED', { kubeletConfigFileContent: 'e30=' }, {}],
  [
    'hasCustomSearchDomain',
    'HAS_CUSTOM_SEARCH_DOMAIN',
    {
      customSearchDomainName: 'corp.example.com',
      customSearchRealmUser: 'joiner',
      customSearchRealmPassword: 'hunter2',
    },
    {},
  ],
];

describe.each(SWITCHES)('%s', (field, variable, member, options) => {
  test(`is brought along by ${Object.keys(member).join(', ')}`, () => {
    expect(found(member, options)).toEqual([]);
    expect(rendered(member, options)[variable]).toBe('true');
  });

  test('may be named as well', () => {
    expect(found({ ...member, [field]: true }, options)).toEqual([]);
  });

  test('is refused when it is off beside them', () => {
    expect(found({ ...member, [field]: false }, options)).toEqual([`error COMPANION_CONFLICT ${field}`]);
  });

  test('is refused when it is on without them', () => {
    expect(found({ [field]: true }, options)).toEqual([`error COMPANION_MISSING ${field}`]);
  });

  test('is off when nothing is overridden', () => {
    expect(variablesOf(v114(options))[variable]).toBe('false');
  });
});

describe('a proxy', () => {
  const proxy = {
    httpProxyURLs: 'http://proxy:3128',
    httpsProxyURLs: 'http://me:p%20w@proxy:3129/',
    noProxyURLs: 'localhost,10.0.0.0/8,.svc',
  };

  const NAMES = ['http_proxy', 'HTTPS_PROXY', 'NO_PROXY'];

  /** What the scripts of a node, which run `eval $PROXY_VARS`, have in their environment then. */
  function environmentOf(options: Values, settings = {}): string[] {
    const variables = variablesOf(v114(options), settings);
    return evaluate(`unset ${NAMES.join(' ')}; PROXY_VARS=${quote(variables['PROXY_VARS']!)}; eval $PROXY_VARS`, NAMES);
  }

  test('brings PROXY_VARS, which a shell on the node turns into the environment of the scripts', () => {
    expect(environmentOf({ overrides: proxy })).toEqual(Object.values(proxy));
  });

  test('is carried through both shells whatever is in it, under lenient', () => {
    const httpProxyURLs = 'http://me:a;b$HOME\'c"`id`@proxy';
    expect(environmentOf({ overrides: { httpProxyURLs } }, LENIENT)).toEqual([httpProxyURLs, '', '']);
  });

  test('exports what is set alone', () => {
    expect(rendered({ httpsProxyURLs: 'http://proxy:3128' })['PROXY_VARS']).not.toMatch(/http_proxy|NO_PROXY/);
  });

  test('leaves PROXY_VARS to the user who sets it', () => {
    const options = { extraVariables: { PROXY_VARS: 'export http_proxy=http://other;' } };
    expect(rendered(proxy, options)['PROXY_VARS']).toBe('export http_proxy=http://other;');
  });

  test('brings the switch of its certificate', () => {
    const overrides = { ...proxy, httpProxyTrustedCA: CA_BUNDLE };
    expect(found(overrides)).toEqual([]);
    expect(rendered(overrides)['SHOULD_CONFIGURE_HTTP_PROXY_CA']).toBe('true');
  });

  test.each(['noProxyURLs', 'httpProxyTrustedCA'])('is needed by %s', (field) => {
    const value = field === 'noProxyURLs' ? 'localhost' : CA_BUNDLE;
    expect(found({ [field]: value })).toEqual([`error COMPANION_MISSING ${field}`]);
  });

  test.each([
    'proxy:3128',
    'http://proxy:3128 ',
    "http://proxy:3128/'",
    'http://me:p;w@proxy',
    'socks5://proxy',
    'http://',
  ])('is not %j', (httpProxyURLs) => {
    expect(found({ httpProxyURLs })).toEqual(['error OVERRIDE_INVALID httpProxyURLs']);
  });
});

describe('swap', () => {
  test('brings --fail-swap-on=false, with a kubelet configuration and without', () => {
    const overrides = { swapFileSizeMB: 2048 };
    expect(kubeletFlagsOf(v114({ overrides }))['--fail-swap-on']).toBe('false');
    expect(kubeletFlagsOf(v114({ overrides, kubeletConfig: { maxPods: 30 } }))['--fail-swap-on']).toBe('false');
    expect(kubeletFlagsOf(v040({ overrides }), SEED)['--fail-swap-on']).toBe('false');
  });

  test('of no size brings nothing', () => {
    expect(kubeletFlagsOf(v114({ overrides: { swapFileSizeMB: 0 } }))).not.toHaveProperty('--fail-swap-on');
  });

  test('is refused beside failSwapOn: true', () => {
    expect(found({ swapFileSizeMB: 1 }, { kubeletConfig: { maxPods: 30, failSwapOn: true } })).toContain(
      'error COMPANION_CONFLICT swapFileSizeMB',
    );
  });

  test('goes with failSwapOn: false', () => {
    expect(found({ swapFileSizeMB: 1 }, { kubeletConfig: { maxPods: 30, failSwapOn: false } })).toEqual([
      'warning FLAG_ADDED /kubeletConfig/failSwapOn',
    ]);
  });
});

describe('a search domain needs all of its parts', () => {
  const all = {
    customSearchDomainName: 'corp.example.com',
    customSearchRealmUser: 'joiner',
    customSearchRealmPassword: 'hunter2',
  };

  test.each(Object.keys(all))('%s among them', (field) => {
    expect(found({ ...all, [field]: null })).toEqual([`error COMPANION_MISSING ${field}`]);
  });
});

describe('GPU settings need GPU set-up', () => {
  test.each<[Values]>([[{ gpuNeedsFabricManager: true }], [{ migNode: true, gpuInstanceProfile: 'MIG1g' }]])(
    '%j',
    (overrides) => {
      expect(found(overrides)).toEqual(
        Object.keys(overrides)
          .toSorted()
          .map((field) => `error COMPANION_MISSING ${field}`),
      );
      expect(found(overrides, GPU_ON)).toEqual([]);
    },
  );
});

describe('another cloud', () => {
  test('is followed by environment and resource manager', () => {
    expect(rendered({ targetCloud: 'AzureUSGovernmentCloud' })).toMatchObject({
      TARGET_CLOUD: 'AzureUSGovernmentCloud',
      TARGET_ENVIRONMENT: 'AzureUSGovernmentCloud',
      ARM_RESOURCE_ENDPOINT: 'https://management.usgovcloudapi.net/',
    });
  });

  test('brings no resource manager when it is the public one', () => {
    expect(rendered({ targetCloud: 'AzurePublicCloud' })).not.toHaveProperty('ARM_RESOURCE_ENDPOINT');
  });

  test('contradicts another environment', () => {
    const overrides = { targetCloud: 'AzureUSGovernmentCloud', targetEnvironment: 'AzurePublicCloud' };
    expect(found(overrides)).toEqual(['error COMPANION_CONFLICT targetEnvironment']);
    expect(found({ targetEnvironment: 'AzureUSGovernmentCloud' })).toEqual([
      'error COMPANION_CONFLICT targetEnvironment',
    ]);
  });

  test('in China needs a registry and an outbound check that it can reach', () => {
    const targetCloud = 'AzureChinaCloud';
    expect(found({ targetCloud })).toEqual([
      'error COMPANION_MISSING mcrRepositoryBase',
      'error COMPANION_MISSING outboundCommand',
    ]);
    const reachable = { mcrRepositoryBase: 'mcr.azk8s.cn', outboundCommand: 'curl https://mcr.azk8s.cn/v2/' };
    expect(found({ targetCloud, ...reachable })).toEqual([]);
  });

  test('with the name of a method of objects brings no resource manager, under lenient', () => {
    const options = v114({ overrides: { targetCloud: 'constructor' } });
    expect(variablesOf(options, LENIENT)).not.toHaveProperty('ARM_RESOURCE_ENDPOINT');
  });
});

describe('a service principal', () => {
  const principal = {
    servicePrincipalClientID: '11111111-2222-4333-8444-555555555555',
    servicePrincipalFileContent: 'aHVudGVyMg==',
    useManagedIdentityExtension: false,
  };

  test('is ID, password and no managed identity together', () => {
    expect(found(principal)).toEqual([]);
  });

  test.each(Object.keys(principal))('is refused without %s', (field) => {
    expect(found({ ...principal, [field]: null })).toEqual([`error COMPANION_MISSING ${field}`]);
  });
});

test('client certificates contradict the bootstrap token', () => {
  for (const field of ['kubeletClientContent', 'kubeletClientCertContent']) {
    expect(found({ [field]: 'eA==' })).toEqual([`error COMPANION_CONFLICT ${field}`]);
  }
});

test('the place of the metadata rule needs the rule', () => {
  const place = { insertIMDSRestrictionRuleToMangleTable: true };
  expect(found(place)).toEqual(['error COMPANION_MISSING insertIMDSRestrictionRuleToMangleTable']);
  expect(found({ ...place, enableIMDSRestriction: true })).toEqual([]);
});
