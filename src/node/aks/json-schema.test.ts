import { describe, expect, test } from 'vitest';
import { findings, v040, v114 } from '../../../test/support/options.ts';
import { optionsSchema } from './json-schema.ts';
import { AKS_FIELDS, exampleOf, KUBELET_FIELDS, POOL_FIELDS, type FieldFact } from './schema.ts';

interface Schema {
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
}

/** Errors about one field; warnings do not count. */
function errorsAt(path: string, options: unknown, bootstrapper: string): string[] {
  return findings(options, { bootstrapper }).filter((line) => line.startsWith('error') && line.includes(` ${path}`));
}

describe.each([
  ['aks/v1.14', v114],
  ['aks/v0.4.0', v040],
] as const)('the schema of %s', (profile, complete) => {
  const schema = optionsSchema(profile) as Schema;
  const own = [...POOL_FIELDS, ...AKS_FIELDS].filter((fact) => fact.profiles.includes(profile));

  test('has the fields of the profile and no other', () => {
    expect(Object.keys(schema.properties!)).toEqual(own.map(({ name }) => name).toSorted());
    expect(schema.additionalProperties).toBe(false);
  });

  test('asks for the fields that check asks for', () => {
    expect(findings({}, { bootstrapper: profile })).toEqual(
      schema.required!.map((name) => `error FIELD_MISSING /${name}`),
    );
  });

  test('offers values that check takes, and check takes no other', () => {
    for (const { name, values } of own) {
      if (values === undefined) continue;
      const offered = schema.properties![name]!.enum!;
      for (const value of offered) expect(errorsAt(`/${name}`, complete({ [name]: value }), profile), name).toEqual([]);
      expect(errorsAt(`/${name}`, complete({ [name]: 'other' }), profile), name).toHaveLength(1);
    }
  });

  test('has examples that check takes', () => {
    const examples = own.filter(({ name, example }) => example !== undefined && name !== 'kubernetesVersion');
    expect(examples.length).toBeGreaterThan(15);
    for (const { name, example } of examples) {
      expect(errorsAt(`/${name}`, complete({ [name]: example }), profile), name).toEqual([]);
    }
  });

  test('has examples of kubelet settings that check takes', () => {
    const facts: readonly FieldFact[] = KUBELET_FIELDS.filter((fact) => fact.profiles.includes(profile));
    for (const { name, example } of facts) {
      if (example === undefined) continue;
      const companions = name === 'evictionSoft' ? { evictionSoftGracePeriod: { 'memory.available': '1m30s' } } : {};
      const soft = name === 'evictionSoftGracePeriod' ? { evictionSoft: { 'memory.available': '1Gi' } } : {};
      const kubeletConfig = { maxPods: 110, kubeReserved: { cpu: '100m' }, ...companions, ...soft, [name]: example };
      expect(errorsAt('/kubeletConfig', complete({ kubeletConfig }), profile), name).toEqual([]);
    }
  });

  test('marks the secrets as write-only', () => {
    for (const { name, secret } of own) {
      expect(Object.hasOwn(schema.properties![name]!, 'writeOnly'), name).toBe(secret === true);
    }
  });
});

test.each([
  ['aks/v1.14', v114],
  ['aks/v0.4.0', v040],
] as const)('the example of a version is one that %s takes', (profile, complete) => {
  const fact = AKS_FIELDS.find(({ name }) => name === 'kubernetesVersion')!;
  const kubernetesVersion = exampleOf(fact, profile);
  expect(findings(complete({ kubernetesVersion }), { bootstrapper: profile })).toEqual([]);
});

test('only aks/v1.14 asks for maxPods', () => {
  const kubelet = (profile: 'aks/v0.4.0' | 'aks/v1.14') =>
    (optionsSchema(profile) as Schema).properties!['kubeletConfig']!;
  expect(kubelet('aks/v1.14').required).toEqual(['maxPods']);
  expect(kubelet('aks/v0.4.0').required).toBeUndefined();
});
