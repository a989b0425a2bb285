import { describe, expect, test } from 'vitest';
import { check } from '../check.ts';
import { findings, LENIENT, problemAt, SEED, TOKEN, v040, v114 } from '../../../test/support/options.ts';

describe('location', () => {
  test.each(['westus2', 'eastus2euap', '1'])('%s is one', (location) => {
    expect(findings(v114({ location }))).toEqual([]);
  });

  test.each([
    ['West US 2', '"westus2"'],
    ['WestUS2', '"westus2"'],
    ['west-us-2', '"westus2"'],
    ['', 'westus2'],
    ['westus2\n', '"westus2"'],
  ])('%j is refused, and the hint has the short form', (location, suggestion) => {
    expect(problemAt('/location', v114({ location }))).toMatchObject({ severity: 'error', code: 'NAME_INVALID' });
    expect(problemAt('/location', v114({ location })).hint).toContain(suggestion);
  });
});

describe('resource group', () => {
  test.each(['a', 'my(rg)', '_rg', 'größe', '日本', 'a.b-c_d', '(', 'a'.repeat(90), '𐐀'.repeat(90)])(
    '%s is one',
    (resourceGroup) => {
      expect(findings(v114({ resourceGroup }))).toEqual([]);
    },
  );

  test.each(['', 'a.', 'a b', 'a/b', 'a"b', 'a\\b', 'a$b', 'a\n', '👍', 'a'.repeat(91)])(
    '%j is none',
    (resourceGroup) => {
      expect(findings(v114({ resourceGroup }))).toEqual(['error NAME_INVALID /resourceGroup']);
      expect(findings(v114({ resourceGroup }), LENIENT)).toEqual(['warning NAME_INVALID /resourceGroup']);
    },
  );
});

describe('API server name', () => {
  test.each(['demo-dns-abc123.hcp.westus2.azmk8s.io', 'localhost', '10.0.0.1', 'A.b', `${'a'.repeat(63)}.b`])(
    '%s is one',
    (apiServerName) => {
      expect(findings(v114({ apiServerName }))).toEqual([]);
    },
  );

  test('253 characters are enough', () => {
    const labels = `${'a'.repeat(49)}.`.repeat(5);
    expect(findings(v114({ apiServerName: `${labels}abc` }))).toEqual([]);
    expect(findings(v114({ apiServerName: `${labels}abcd` }))).toEqual(['error NAME_INVALID /apiServerName']);
  });

  test.each(['', 'a..b', '.a', 'a.', 'a_b', '-a', 'a-', 'a b', 'a/b', 'é.io', '*.a', 'a\n', `${'a'.repeat(64)}.b`])(
    '%j is none',
    (apiServerName) => {
      expect(findings(v114({ apiServerName }))).toEqual(['error NAME_INVALID /apiServerName']);
    },
  );

  test.each([
    'https://demo.azmk8s.io',
    'https://demo.azmk8s.io:443',
    'demo.azmk8s.io:443',
    'https://demo.azmk8s.io/',
    'HTTPS://demo.azmk8s.io:443/api?x#y',
  ])('%s is refused, and the hint has the name alone', (apiServerName) => {
    expect(problemAt('/apiServerName', v114({ apiServerName })).hint).toContain('"demo.azmk8s.io"');
  });
});

describe('bootstrap token', () => {
  test.each([
    '',
    'abcdef0123456789abcdef',
    'ABCDEF.0123456789ABCDEF',
    'abcde.0123456789abcdef',
    'abcdef.0123456789abcde',
    `${TOKEN}0`,
    ` ${TOKEN}`,
    `${TOKEN}\n`,
    'abcdef.0123456789abcd-f',
  ])('%j is none, and is not shown', (kubeletClientTLSBootstrapToken) => {
    const problem = problemAt('/kubeletClientTLSBootstrapToken', v114({ kubeletClientTLSBootstrapToken }));
    expect(problem).toMatchObject({ severity: 'error', code: 'TOKEN_INVALID' });
    expect(problem.message + problem.hint).not.toMatch(/abcde|01234/i);
  });
});

describe('identities', () => {
  test.each([
    ['kubeletIdentityClientId', v114, {}],
    ['userAssignedIdentityId', v040, SEED],
  ] as const)('%s must be a uuid', (field, options, settings) => {
    expect(findings(options({ [field]: '11111111-2222-4333-8444-55555555555A' }), settings)).toEqual([]);
    for (const value of ['', 'msi', '11111111222243338444555555555555', '{11111111-2222-4333-8444-555555555555}']) {
      expect(findings(options({ [field]: value }), settings)).toEqual([`error IDENTITY_INVALID /${field}`]);
    }
  });

  test('a resource ID of an identity is answered with what to write', () => {
    const kubeletIdentityClientId =
      '/subscriptions/s/resourceGroups/r/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i';
    expect(problemAt('/kubeletIdentityClientId', v114({ kubeletIdentityClientId })).hint).toContain('client ID');
  });

  test.each(['tenantId', 'subscriptionId'])('a %s that is no uuid is a warning alone', (field) => {
    expect(findings(v114({ [field]: 'test' }))).toEqual([`warning IDENTITY_INVALID /${field}`]);
  });

  test.each(['a"b', 'a\\b', 'a\nb', 'a\tb'])('%j breaks azure.json as a tenant', (tenantId) => {
    expect(findings(v114({ tenantId }))).toEqual(['error CHARACTER_UNSAFE /tenantId']);
  });
});

test.each(['', 'AMD64', 'x86_64', 'arm'])('there is no node image for the architecture %j', (arch) => {
  expect(findings(v114({ arch }))).toEqual(['error ARCH_UNSUPPORTED /arch']);
});

test('all problems are reported at once', () => {
  const paths = check(v114({ arch: 'x', location: 'X', apiServerName: '', taints: [{}], labels: { '': '' } })).map(
    ({ path }) => path,
  );
  expect(new Set(paths)).toEqual(
    new Set(['/apiServerName', '/arch', '/labels/', '/location', '/taints/0/effect', '/taints/0/key']),
  );
});
