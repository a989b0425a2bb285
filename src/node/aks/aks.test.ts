import { describe, expect, test } from 'vitest';
import { CA_BUNDLE, LENIENT, SEED, v040, v114, variablesOf } from '../../../test/support/options.ts';
import { RefusedError } from '../../core/errors.ts';
import { render } from '../render.ts';
import { AKS } from './aks.ts';
import type { AKSOptions } from './options.ts';

const options = v114() as unknown as AKSOptions;

/** Everything at once: each part of the options is there. */
const FULL = v114({
  labels: { team: 'a', b: '2' },
  taints: [
    { key: 'k', value: 'v', effect: 'NoSchedule' },
    { key: 'k', effect: 'NoExecute' },
  ],
  kubeletConfig: {
    maxPods: 30,
    kubeReserved: { memory: '1Gi', cpu: '100m' },
    evictionSoft: { 'memory.available': '1Gi' },
    evictionSoftGracePeriod: { 'memory.available': '90s' },
    allowedUnsafeSysctls: ['net.b', 'net.a'],
  },
  overrides: { customCATrustConfigCerts: [CA_BUNDLE], swapFileSizeMB: 1024, httpProxyURLs: 'http://proxy:3128' },
  extraVariables: { DISABLE_PUBKEY_AUTH: 'true', ARTIFACT_STREAMING_ENABLED: 'false' },
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const entry of Object.values(value)) deepFreeze(entry);
    Object.freeze(value);
  }
  return value;
}

/** The same value with the keys of every mapping the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, entry]) => [key, reversed(entry)]),
  );
}

describe('AKS', () => {
  test('makes the script that render makes, aks/v1.14 by default', () => {
    expect(new AKS(options).script()).toBe(render(v114()).script);
    expect(new AKS(options, { bootstrapper: 'aks/v1.14' }).script()).toBe(render(v114()).script);
  });

  test('makes the script of another profile when told to', () => {
    const seed = v040() as unknown as AKSOptions;
    expect(new AKS(seed, { bootstrapper: 'aks/v0.4.0' }).script()).toBe(render(v040(), SEED).script);
  });

  test('refuses options with all problems, and takes them under lenient', () => {
    const bad = v114({ location: 'West US 2', arch: 'x' }) as unknown as AKSOptions;
    expect(() => new AKS(bad).script()).toThrow(
      expect.objectContaining({
        code: 'OPTIONS_REFUSED',
        problems: [expect.objectContaining({ path: '/arch' }), expect.objectContaining({ path: '/location' })],
      }),
    );
    expect(new AKS(bad, { lenient: true }).script()).toBe(render(bad, LENIENT).script);
  });

  test('does nothing before it is asked for the script', () => {
    expect(() => new AKS({} as AKSOptions)).not.toThrow();
    expect(() => new AKS({} as AKSOptions).script()).toThrow(RefusedError);
  });
});

describe('input', () => {
  test('is never changed, and may be frozen', () => {
    const input = structuredClone(FULL);
    const script = render(deepFreeze(input)).script;
    expect(input).toEqual(FULL);
    expect(script).toBe(render(FULL).script);
  });

  test('in another order of keys gives the same bytes', () => {
    expect(render(reversed(FULL)).script).toBe(render(FULL).script);
  });

  test('without prototypes gives the same bytes', () => {
    const bare = Object.assign(Object.create(null) as object, FULL, {
      labels: Object.assign(Object.create(null) as object, FULL['labels']),
    });
    expect(render(bare).script).toBe(render(FULL).script);
  });

  test('gives the same bytes the second time, with other renders between', () => {
    const first = render(FULL).script;
    render(v040(), SEED);
    render(v114({ kubernetesVersion: '1.29.5' }));
    expect(render(FULL).script).toBe(first);
  });

  test.each([
    ['clusterName', 'zebra-4711'],
    ['clusterEndpoint', 'https://zebra-4711.example.com'],
  ])('%s never reaches the script', (field, value) => {
    expect(render(v114({ [field]: value })).script).toBe(render(v114({ [field]: null })).script);
  });
});

describe('a rendering', () => {
  const { script, bytes, base64Length, bootstrapper } = render(v114());
  const text = Buffer.from(script, 'base64').toString('utf8');

  test('is base64 of the standard alphabet in one line, with its measures', () => {
    expect(script).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(base64Length).toBe(script.length);
    expect(bytes).toBe(Buffer.byteLength(text));
    expect(bootstrapper).toBe('aks/v1.14');
  });

  test('is a bash script that ends with a line break and has no carriage return', () => {
    expect(text.startsWith('#!/bin/bash\n')).toBe(true);
    expect(text.endsWith('\n')).toBe(true);
    expect(text).not.toContain('\r');
  });

  test('is encoded as a whole, whatever the length of its head', () => {
    for (const length of [1, 2, 3, 4]) {
      const adminUsername = 'a'.repeat(length);
      const rendered = render(v114({ overrides: { adminUsername } })).script;
      expect(Buffer.from(rendered, 'base64').toString('base64')).toBe(rendered);
      expect(Buffer.from(rendered, 'base64').toString('utf8')).toContain(`\nADMINUSER='${adminUsername}'\n`);
    }
  });

  test('assigns the values that the options give', () => {
    expect(variablesOf(v114())).toMatchObject({
      TENANT_ID: '72f988bf-0000-4000-8000-2d7cd011db47',
      SUBSCRIPTION_ID: '12345678-1234-1234-1234-123456789012',
      RESOURCE_GROUP: 'MC_demo_demo_westus2',
      LOCATION: 'westus2',
      NETWORK_SECURITY_GROUP: 'aks-agentpool-16233412-nsg',
      ROUTE_TABLE: 'aks-agentpool-16233412-routetable',
      USER_ASSIGNED_IDENTITY_ID: '11111111-2222-4333-8444-555555555555',
      API_SERVER_NAME: 'demo-dns-abc123.hcp.westus2.azmk8s.io',
      TLS_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
      KUBE_CA_CRT: CA_BUNDLE,
      KUBERNETES_VERSION: '1.33.7',
    });
  });
});

test.each(['aks/v1.13', 'AKS', 'eks', ''])('no bootstrapper is named %j', (bootstrapper) => {
  expect(() => render(v114(), { bootstrapper })).toThrow(expect.objectContaining({ code: 'BOOTSTRAPPER_UNKNOWN' }));
});
