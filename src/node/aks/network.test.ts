import { describe, expect, test } from 'vitest';
import {
  findings,
  LENIENT,
  problemAt,
  SEED,
  SUBNET_ID,
  v040,
  v114,
  variablesOf,
} from '../../../test/support/options.ts';

function subnetId(parts: { subscription?: string; group?: string; network?: string; subnet?: string } = {}): string {
  const { subscription = 's', group = 'rg', network = 'vnet', subnet = 'nodes' } = parts;
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Network/virtualNetworks/${network}/subnets/${subnet}`;
}

function networkOf(id: string, settings = {}): (string | undefined)[] {
  const variables = variablesOf(v114({ subnetId: id }), settings);
  return ['VIRTUAL_NETWORK_RESOURCE_GROUP', 'VIRTUAL_NETWORK', 'SUBNET'].map((name) => variables[name]);
}

describe('a subnet ID', () => {
  test('gives resource group, virtual network and subnet', () => {
    expect(networkOf(SUBNET_ID)).toEqual(['network', 'vnet', 'nodes']);
  });

  test('parses in any case, and the case of the names is kept', () => {
    const id = '/SUBSCRIPTIONS/s/resourcegroups/R1/providers/microsoft.network/virtualnetworks/V1/subnets/S1';
    expect(findings(v114({ subnetId: id }))).toEqual([]);
    expect(networkOf(id)).toEqual(['R1', 'V1', 'S1']);
  });

  test('may have a resource group with parentheses', () => {
    expect(networkOf(subnetId({ group: 'my(rg)' }))).toEqual(['my(rg)', 'vnet', 'nodes']);
  });

  test.each([
    ['is empty', ''],
    ['has no slash in front', SUBNET_ID.slice(1)],
    ['has a slash at the end', `${SUBNET_ID}/`],
    ['lacks the subnet', SUBNET_ID.replace('/subnets/nodes', '')],
    ['lacks the provider', SUBNET_ID.replace('/providers/Microsoft.Network', '')],
    ['is of another provider', SUBNET_ID.replace('Microsoft.Network', 'Microsoft.Compute')],
    ['is a name alone', 'nodes'],
    ['has a part too many', `${SUBNET_ID}/x`],
    ['has a line break at the end', `${SUBNET_ID}\n`],
  ])('that %s is refused, and under lenient gives three empty variables, as in Go', (_, id) => {
    expect(findings(v114({ subnetId: id }))).toContain('error SUBNET_INVALID /subnetId');
    expect(findings(v114({ subnetId: id }), LENIENT)).toContain('warning SUBNET_INVALID /subnetId');
    if (!id.endsWith('\n')) expect(networkOf(id, LENIENT)).toEqual(['', '', '']);
  });

  test.each([
    ['an empty subscription', subnetId({ subscription: '' })],
    ['an empty resource group', subnetId({ group: '' })],
    ['an empty subnet', subnetId({ subnet: '' })],
    ['a blank in the resource group', subnetId({ group: 'my rg' })],
    ['a virtual network of 65 characters', subnetId({ network: 'v'.repeat(65) })],
    ['a subnet of 81 characters', subnetId({ subnet: 's'.repeat(81) })],
    ['a subnet with a quote', subnetId({ subnet: 'a"b' })],
    ['a subnet that ends with a hyphen', subnetId({ subnet: 'a-' })],
  ])('with %s is refused', (_, id) => {
    expect(findings(v114({ subnetId: id }))).toEqual(['error SUBNET_INVALID /subnetId']);
  });

  test.each([
    ['a virtual network of one character, as in the recorded inputs', subnetId({ network: 'V' })],
    ['a virtual network of 2', subnetId({ network: 'v1' })],
    ['a virtual network of 64', subnetId({ network: 'v'.repeat(64) })],
    ['a subnet of 80', subnetId({ subnet: 's'.repeat(80) })],
    ['a subnet of one', subnetId({ subnet: 's' })],
  ])('with %s characters is fine', (_, id) => {
    expect(findings(v114({ subnetId: id }))).toEqual([]);
  });

  test('the hint for a slash at the end says what to remove', () => {
    expect(problemAt('/subnetId', v114({ subnetId: `${SUBNET_ID}/` })).hint).toContain('slash at the end');
  });
});

describe.each(['networkSecurityGroupName', 'routeTableName'])('%s', (field) => {
  test.each(['a', '1', 'aks-agentpool-16233412-nsg', 'a_', 'a.b', 'a'.repeat(80)])('%s is a name', (name) => {
    expect(findings(v114({ [field]: name }))).toEqual([]);
  });

  test.each(['', '-a', '_a', 'a-', 'a.', 'a b', 'a/b', 'é', 'a"b', 'a'.repeat(81)])('%j is none', (name) => {
    expect(findings(v114({ [field]: name }))).toEqual([`error NAME_INVALID /${field}`]);
  });
});

describe('names from the cluster ID on aks/v0.4.0', () => {
  test('are those of AKS', () => {
    const variables = variablesOf(v040(), SEED);
    expect(variables['NETWORK_SECURITY_GROUP']).toBe('aks-agentpool-16233412-nsg');
    expect(variables['ROUTE_TABLE']).toBe('aks-agentpool-16233412-routetable');
  });

  test('have two hyphens without an ID, under lenient', () => {
    const variables = variablesOf(v040({ clusterId: null }), { ...SEED, lenient: true });
    expect(variables['NETWORK_SECURITY_GROUP']).toBe('aks-agentpool--nsg');
  });

  test.each(['', 'a b', '1"2', 'a/b'])('cannot be made from %j', (clusterId) => {
    expect(findings(v040({ clusterId }), SEED)).toEqual(['error NAME_INVALID /clusterId']);
  });
});

describe('network plugin and policy', () => {
  test.each([
    ['aks/v1.14', v114, ['azure', 'none'], ['kubenet', '', 'Azure', 'cilium']],
    ['aks/v0.4.0', v040, ['azure', 'none', 'kubenet'], ['', 'overlay']],
  ] as const)('%s knows its plugins', (bootstrapper, options, known, unknown) => {
    for (const networkPlugin of known) expect(findings(options({ networkPlugin }), { bootstrapper })).toEqual([]);
    for (const networkPlugin of unknown) {
      expect(findings(options({ networkPlugin }), { bootstrapper })).toEqual([
        'error NETWORK_UNSUPPORTED /networkPlugin',
      ]);
    }
  });

  test.each(['', 'azure', 'calico', 'cilium', null])('the policy %j is one', (networkPolicy) => {
    expect(findings(v114({ networkPolicy }))).toEqual([]);
  });

  test.each(['none', 'Calico', 'calico '])('the policy %j is none', (networkPolicy) => {
    expect(findings(v114({ networkPolicy }))).toEqual(['error NETWORK_UNSUPPORTED /networkPolicy']);
  });
});
