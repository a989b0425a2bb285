import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEED, TOKEN, v040, v114 } from '../../../test/support/options.ts';
import { parseDocuments } from '../../format/documents.ts';
import { check } from '../check.ts';
import { render } from '../render.ts';
import { RefusedError } from '../../core/errors.ts';
import { aksBootstrapper } from './bootstrapper.ts';
import { KUBELET_FIELDS, OPTION_FIELDS, TAINT_FIELDS } from './schema.ts';
import { VARIABLES } from './variables.ts';

const HALF = TOKEN.slice(TOKEN.indexOf('.') + 1);

/** Texts with a token in them: alone, in the middle of others, and with what surrounds it in other formats. */
const texts = fc
  .tuple(
    fc.constantFrom('', ' ', '"', 'x=', 'https://', '-', '\n', '\u001b'),
    fc.constantFrom('', ' ', '"', '\n', '/', ',', ' '.repeat(80)),
  )
  .map(([before, after]) => `${before}${TOKEN}${after}`);

/** The same text in every type that a value can have. */
const values = texts.chain((text) =>
  fc.constantFrom<unknown>(text, [text], { [`k`]: text }, [{ key: text, value: text, effect: text }]),
);

/** Options with one text in every place that takes a text, and in some that do not. */
const misplaced = fc
  .record({
    fields: fc.dictionary(
      fc.constantFrom(...OPTION_FIELDS.map(({ name }) => name), 'unknwon', 'kubeletClientTLSBootstrapTokn'),
      values,
      { minKeys: 1, noNullPrototype: true },
    ),
    kubeletConfig: fc.dictionary(fc.constantFrom(...KUBELET_FIELDS.map(({ name }) => name), 'maxPod'), values, {
      noNullPrototype: true,
    }),
    taint: fc.dictionary(fc.constantFrom(...TAINT_FIELDS.map(({ name }) => name), 'efect'), values, {
      noNullPrototype: true,
    }),
    overrides: fc.dictionary(fc.constantFrom(...VARIABLES.map(({ field }) => field), 'swap'), values, {
      noNullPrototype: true,
    }),
    extraVariables: fc.dictionary(fc.constantFrom('PROXY_VARS', 'PATH', 'OTHER', 'CSE_TIMEOUT', '1'), values, {
      noNullPrototype: true,
    }),
  })
  .map(({ fields, kubeletConfig, taint, overrides, extraVariables }) => ({
    kubeletConfig: { maxPods: 30, ...kubeletConfig },
    taints: [taint],
    overrides,
    extraVariables,
    ...fields,
  }));

describe.each([
  ['aks/v1.14', v114],
  ['aks/v0.4.0', v040],
] as const)('on %s no problem holds a token', (bootstrapper, complete) => {
  test.each([false, true])('wherever it was put by mistake (lenient: %s)', (lenient) => {
    fc.assert(
      fc.property(misplaced, (replaced) => {
        const text = JSON.stringify(check(complete(replaced), { bootstrapper, lenient }));
        expect(text).not.toContain(HALF);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test('when the options came from YAML, which shows source text', () => {
    fc.assert(
      fc.property(misplaced, (replaced) => {
        const { value, source } = parseDocuments(
          JSON.stringify(complete(replaced)).replaceAll(`"${TOKEN}"`, TOKEN),
        )[0]!;
        expect(JSON.stringify(check(value, { bootstrapper, source }))).not.toContain(HALF);
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

test.each(['abcdef.0123456789abcdef_', 'abcdef.0123456789abcdef:x', 'x-abcdef.0123456789abcdef@y'])(
  'a host name that holds a token is refused without a part of it (%s)',
  (apiServerName) => {
    expect(JSON.stringify(check(v114({ apiServerName })))).not.toContain(HALF);
  },
);

test.each(['https://me:hunter2 x@host/kubelet', 'https://me:hun/ter2@host/ x', 'https://me:x@hunter2@host/ x'])(
  'a URL with a password is refused without a part of it (%s)',
  (customKubeBinaryURL) => {
    expect(JSON.stringify(check(v114({ overrides: { customKubeBinaryURL } })))).not.toMatch(/hun\/?ter2/);
  },
);

test('a refusal does not hold the token in its message either', () => {
  const refused = (() => {
    try {
      render(v114({ arch: TOKEN, location: TOKEN }));
    } catch (error) {
      return error;
    }
    return undefined;
  })();
  expect(refused).toBeInstanceOf(RefusedError);
  expect((refused as RefusedError).message).not.toContain(HALF);
});

test('what a person is shown of a node does not hold its secrets', () => {
  const overrides = { httpProxyURLs: 'http://me:hunter2@proxy:3128', servicePrincipalFileContent: 'aHVudGVyMg==' };
  for (const [bootstrapper, options] of [
    ['aks/v1.14', v114({ overrides, extraVariables: { KUBELET_IMAGE: 'hunter2' } })],
    ['aks/v0.4.0', v040({ overrides })],
  ] as const) {
    const { node: rendered } = aksBootstrapper(bootstrapper).assess(options, { lenient: true });
    const text = JSON.stringify(rendered!.highlights());
    expect(text).toContain('HTTP_PROXY_URLS');
    expect(text).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(text).not.toContain(HALF);
  }
});

describe('no problem holds a character that acts on a terminal', () => {
  const odd = 'a\u001b[31m\u202e\u009b\nb';

  function expectPlain(replaced: Record<string, unknown>): void {
    const problems = check(v114(replaced));
    expect(problems.length).toBeGreaterThan(0);
    for (const { message, hint } of problems) {
      expect(message + hint).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    }
  }

  test.each<[string, Record<string, unknown>]>([
    ['arch', { arch: odd }],
    ['location', { location: odd }],
    ['kubernetesVersion', { kubernetesVersion: odd }],
    ['labels', { labels: { [odd]: odd } }],
    ['taints', { taints: [{ key: odd, value: odd, effect: odd }] }],
    ['kubeReserved', { kubeletConfig: { maxPods: 30, kubeReserved: { [odd]: odd } } }],
    ['evictionHard', { kubeletConfig: { maxPods: 30, evictionHard: { [odd]: odd } } }],
    ['overrides', { overrides: { adminUsername: odd, targetCloud: odd, primaryScaleSet: odd } }],
    ['unknown', { [odd]: odd }],
    ['extraVariables', { extraVariables: { [odd]: odd } }],
  ])('%s', (_, replaced) => {
    expectPlain(replaced);
  });

  test.each<[string, Record<string, unknown>]>([
    ['resourceGroup', { resourceGroup: 'a\u202eb' }],
    ['networkSecurityGroupName', { networkSecurityGroupName: 'a\u202eb' }],
    ['tenantId', { tenantId: 'a\u007fb' }],
    ['apiServerName', { apiServerName: odd }],
    ['evictionSoft', { kubeletConfig: { maxPods: 30, evictionSoft: { [odd]: odd } } }],
    ['evictionSoftGracePeriod', { kubeletConfig: { maxPods: 30, evictionSoftGracePeriod: { [odd]: '1s' } } }],
  ])('%s', (_, replaced) => {
    expectPlain(replaced);
  });
});

test('a token as a key is in no problem, nor in its path', () => {
  for (const replaced of [
    { [TOKEN]: 'x' },
    { labels: { [TOKEN]: 'a b' } },
    { extraVariables: { [TOKEN]: 'x' } },
    { overrides: { [TOKEN]: 'x' } },
    { kubeletConfig: { maxPods: 30, kubeReserved: { [TOKEN]: 'x' }, evictionHard: { [TOKEN]: 'x' } } },
  ]) {
    const text = JSON.stringify(check(v114(replaced)));
    expect(text).toContain('[secret]');
    expect(text).not.toContain(HALF);
  }
});

test('aks/v0.4.0 is looked at with its own settings', () => {
  expect(check(v040(), SEED)).toEqual([]);
});
