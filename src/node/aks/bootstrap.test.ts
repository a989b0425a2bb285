import { describe, expect, test } from 'vitest';
import { findings, problemAt, SEED, v040, v114 } from '../../../test/support/options.ts';

const COMMON = [
  'apiServerName',
  'arch',
  'caBundle',
  'kubeletClientTLSBootstrapToken',
  'kubernetesVersion',
  'location',
  'networkPlugin',
  'resourceGroup',
  'subnetId',
  'subscriptionId',
  'tenantId',
];

/** Field names in the order of paths. */
function sorted(names: readonly string[]): string[] {
  return [...names].toSorted();
}

describe.each([
  [
    'aks/v1.14',
    v114,
    [...COMMON, 'kubeletIdentityClientId', 'networkSecurityGroupName', 'routeTableName'],
    ['caBundle', 'kubernetesVersion'],
  ],
  ['aks/v0.4.0', v040, [...COMMON, 'clusterId', 'userAssignedIdentityId'], ['caBundle']],
] as const)('%s', (bootstrapper, options, required, indispensable) => {
  test('asks for every required field at once', () => {
    expect(findings({}, { bootstrapper })).toEqual(sorted(required).map((field) => `error FIELD_MISSING /${field}`));
  });

  test('has no result without some of them under lenient, and does without the others', () => {
    expect(findings({}, { bootstrapper, lenient: true })).toEqual(
      sorted(required).map(
        (field) => `${indispensable.includes(field as never) ? 'error' : 'warning'} FIELD_MISSING /${field}`,
      ),
    );
  });

  test.each(required)('takes no null and no empty text for %s', (field) => {
    expect(findings(options({ [field]: null }), { bootstrapper })).toEqual([`error FIELD_MISSING /${field}`]);
    expect(findings(options({ [field]: '' }), { bootstrapper })).toContainEqual(
      expect.stringMatching(new RegExp(`^error \\w+ /${field}$`)),
    );
  });

  test('has nothing to say about complete options', () => {
    expect(findings(options(), { bootstrapper })).toEqual([]);
  });
});

test('a required field of the wrong type is not missing', () => {
  expect(findings(v114({ location: 5 }))).toEqual(['error FIELD_TYPE /location']);
});

test('the hint for a missing field is a line to add', () => {
  expect(problemAt('/clusterId', v040({ clusterId: null }), SEED).hint).toContain('`clusterId: "16233412"`');
});
