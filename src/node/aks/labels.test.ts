import { describe, expect, test } from 'vitest';
import {
  findings,
  LENIENT,
  nodeLabelsOf,
  problemAt,
  SEED,
  v040,
  v114,
  variablesOf,
} from '../../../test/support/options.ts';
import { clusterLabel, isKubeletLabel } from './labels.ts';

describe('the label that aks/v0.4.0 makes from the resource group', () => {
  test.each([
    ['a name stays as it is', 'MC_demo_demo_westus2', 'MC_demo_demo_westus2'],
    ['parentheses become hyphens', 'a(b)c', 'a-b-c'],
    ['a hyphen at the end gets a z', 'my(rg)', 'my-rg-z'],
    ['an underscore at the end gets a z', 'rg_', 'rg_z'],
    ['a dot at the end gets a z', 'rg.', 'rg.z'],
    ['63 characters stay', 'a'.repeat(63), 'a'.repeat(63)],
    ['64 characters are cut', 'a'.repeat(64), 'a'.repeat(63)],
    ['a separator at 63 is replaced by a z', `${'a'.repeat(62)}-b`, `${'a'.repeat(62)}z`],
    ['a separator at 62 is followed by a z', `${'a'.repeat(61)}-`, `${'a'.repeat(61)}-z`],
    ['a bad beginning stays', '_rg', '_rg'],
    ['a cut is made at bytes, without half a character', `${'a'.repeat(62)}é`, 'a'.repeat(62)],
    ['nothing stays nothing', '', ''],
  ])('%s', (_, resourceGroup, expected) => {
    expect(clusterLabel(resourceGroup)).toBe(expected);
  });

  test.each(['_rg', '(rg)', '-rg', 'größe'])('is refused when %s makes it invalid', (resourceGroup) => {
    expect(findings(v040({ resourceGroup }), SEED)).toEqual(['error LABEL_INVALID /resourceGroup']);
    expect(findings(v114({ resourceGroup }))).toEqual([]);
  });
});

describe('labels that aks/v0.4.0 adds', () => {
  test('are mode, role and cluster', () => {
    expect(nodeLabelsOf(v040(), SEED)).toEqual({
      'kubernetes.azure.com/cluster': 'MC_demo_demo_westus2',
      'kubernetes.azure.com/mode': 'user',
      'kubernetes.azure.com/role': 'agent',
    });
  });

  test('leave the mode to the user', () => {
    const labels = { 'kubernetes.azure.com/mode': 'system' };
    expect(nodeLabelsOf(v040({ labels }), SEED)).toMatchObject(labels);
  });

  test.each(['role', 'cluster'])('overwrite the %s, which strict mode refuses to do in silence', (name) => {
    const key = `kubernetes.azure.com/${name}`;
    const options = v040({ labels: { [key]: 'other' } });
    expect(findings(options, SEED)).toEqual([`error LABEL_OVERWRITTEN /labels/kubernetes.azure.com~1${name}`]);
    expect(nodeLabelsOf(options, { ...SEED, lenient: true })[key]).not.toBe('other');
  });

  test('are no problem when the user says the same', () => {
    expect(findings(v040({ labels: { 'kubernetes.azure.com/role': 'agent' } }), SEED)).toEqual([]);
  });
});

describe('labels of the user on aks/v1.14', () => {
  test('are all that there is', () => {
    expect(nodeLabelsOf(v114({ labels: { b: '2', a: '1' } }))).toEqual({ a: '1', b: '2' });
    expect(nodeLabelsOf(v114())).toEqual({});
  });

  test.each<[string, string]>([
    ['team', ''],
    ['team', 'payments'],
    ['10', '10'],
    ['example.com/team', 'A-b_c.d'],
    ['a'.repeat(63), 'a'.repeat(63)],
    ['topology.kubernetes.io/zone', 'westus2-1'],
    ['node.kubernetes.io/anything', 'x'],
    ['x.node.kubernetes.io/y', 'x'],
    ['kubernetes.azure.com/mode', 'user'],
    ['mykubernetes.io/x', 'x'],
  ])('%s=%s is fine', (key, value) => {
    expect(findings(v114({ labels: { [key]: value } }))).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['a key with a blank', 'a b', '/labels/a b'],
    ['an empty key', '', '/labels/'],
    ['an empty name after the prefix', 'example.com/', '/labels/example.com~1'],
    ['an empty prefix', '/x', '/labels/~1x'],
    ['a prefix with capitals', 'Example.com/x', '/labels/Example.com~1x'],
    ['two slashes', 'a/b/c', '/labels/a~1b~1c'],
    ['a name that begins with a separator', '-a', '/labels/-a'],
    ['a name that ends with a separator', 'a.', '/labels/a.'],
    ['a name of 64 characters', 'a'.repeat(64), `/labels/${'a'.repeat(64)}`],
    ['a prefix of 254 characters', `${'a'.repeat(254)}/x`, `/labels/${'a'.repeat(254)}~1x`],
    ['__proto__', '__proto__', '/labels/__proto__'],
    ['an equals sign', 'a=b', '/labels/a=b'],
    ['a line break', 'a\n', '/labels/a\n'],
  ])('%s is no label key', (_, key, path) => {
    const labels = JSON.parse(`{${JSON.stringify(key)}: "x"}`) as unknown;
    expect(findings(v114({ labels }))).toContain(`error LABEL_INVALID ${path}`);
    expect(findings(v114({ labels }), LENIENT)).toContain(`warning LABEL_INVALID ${path}`);
  });

  test.each(['a b', '-a', 'a-', 'a/b', 'a'.repeat(64), 'é', '$(id)', 'a,b=c', 'a\n', "a'b"])(
    '%j is no label value',
    (value) => {
      expect(findings(v114({ labels: { team: value } }))).toEqual(['error LABEL_INVALID /labels/team']);
    },
  );

  test.each([
    'kops.k8s.io/x',
    'kubernetes.io/x',
    'k8s.io/x',
    'node-role.kubernetes.io/agent',
    'topology.kubernetes.io/rack',
  ])('a kubelet may not give itself %s', (key) => {
    expect(findings(v114({ labels: { [key]: 'x' } }))).toEqual([
      `error LABEL_FORBIDDEN /labels/${key.replace('/', '~1')}`,
    ]);
  });

  test('one that announces a feature which nothing turns on is a warning until it is on', () => {
    const labels = { 'kubernetes.azure.com/localdns-state': 'enabled' };
    const path = '/labels/kubernetes.azure.com~1localdns-state';
    expect(problemAt(path, v114({ labels }))).toMatchObject({ severity: 'warning', code: 'LABEL_FEATURE_UNBACKED' });
    expect(problemAt(path, v114({ labels })).hint).toContain('SHOULD_ENABLE_LOCALDNS');
    expect(findings(v114({ labels, extraVariables: { SHOULD_ENABLE_LOCALDNS: 'true' } }))).toEqual([]);
    expect(findings(v114({ labels: { 'kubernetes.azure.com/localdns-state': 'disabled' } }))).toEqual([]);
  });

  test('ten thousand of them, __proto__ and 10 among them, are printed under lenient', () => {
    const names = ['10', '__proto__', ...Array.from({ length: 10_000 }, (_, index) => `l${index}`)];
    const labels = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}: "x"`).join()}}`) as unknown;
    const options = v114({ labels });
    expect(Object.keys(nodeLabelsOf(options, LENIENT)).toSorted()).toEqual(names.toSorted());
    expect(variablesOf(options, LENIENT)['KUBELET_NODE_LABELS']).toBeUndefined();
  });
});

test.each([
  ['kubernetes.io/hostname', true],
  ['kubernetes.io/os', true],
  ['beta.kubernetes.io/arch', true],
  ['failure-domain.beta.kubernetes.io/zone', true],
  ['node.kubernetes.io/instance-type', true],
  ['kubelet.kubernetes.io/x', true],
  ['a.kubelet.kubernetes.io/x', true],
  ['hostname', true],
  ['notkubernetes.io/x', true],
  ['kubernetes.io/other', false],
  ['a.kubernetes.io/x', false],
  ['a.k8s.io/x', false],
  ['xnode.kubernetes.io/x', false],
  ['beta.kubernetes.io/other', false],
])('whether a kubelet may set %s: %s', (key, expected) => {
  expect(isKubeletLabel(key)).toBe(expected);
});
