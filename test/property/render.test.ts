import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RefusedError } from '../../src/core/errors.ts';
import { check } from '../../src/node/check.ts';
import { render, renderVariables } from '../../src/node/render.ts';
import { optionsSchema } from '../../src/node/schema.ts';
import { SCRIPT_CASES } from '../golden/cases.ts';

const typical = SCRIPT_CASES.find((one) => one.name === 'typical')!.options;

/** The same value with the keys of every mapping in another order. */
function shuffled(value: unknown, order: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [order(), key, shuffled(item, order)] as const);
  const result = Object.create(null) as Record<string, unknown>;
  for (const [, key, item] of entries.toSorted((a, b) => a[0] - b[0])) result[key] = item;
  return result;
}

const anyJson = fc.jsonValue({ maxDepth: 3 });

describe.each(SCRIPT_CASES)('$name', ({ bootstrapper, lenient, options }) => {
  const settings = { bootstrapper, lenient: lenient ?? false };

  test('the order of keys does not change a byte', () => {
    const expected = render(options, settings).script;
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (stream) => {
        const other = shuffled(options, () => stream.next().value as number);
        expect(render(other, settings).script).toBe(expected);
      }),
      { numRuns: 20, seed: 7 },
    );
  });

  test('frozen options render, and stay as they are', () => {
    const frozen = deepFreeze(structuredClone(options));
    const before = JSON.stringify(frozen);
    render(frozen, settings);
    check(frozen, settings);
    expect(JSON.stringify(frozen)).toBe(before);
  });

  test('null means absent, for every field that may be absent', () => {
    const known = Object.keys((optionsSchema(bootstrapper)['properties'] ?? {}) as object);
    const absent = Object.fromEntries(known.filter((name) => !(name in options)).map((name) => [name, null]));
    expect(render({ ...options, ...absent }, settings).script).toBe(render(options, settings).script);
  });
});

test('another locale and another time zone give the same bytes', () => {
  const module = fileURLToPath(new URL('../../src/node/render.ts', import.meta.url));
  const code = `import { render } from ${JSON.stringify(module)}; process.stdout.write(render(JSON.parse(process.argv[1])).script);`;
  const run = (env: Record<string, string>) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', code, JSON.stringify(typical)], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
  expect(run({ LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Kathmandu' })).toBe(
    run({ LC_ALL: 'C', TZ: 'UTC' }),
  );
});

test('any JSON at all is rendered or refused with problems, and never anything else', () => {
  fc.assert(
    fc.property(anyJson, fc.boolean(), fc.constantFrom('aks/v0.4.0', 'aks/v1.14'), (options, lenient, bootstrapper) => {
      expectRenderedOrRefused(options, { bootstrapper, lenient });
    }),
    { numRuns: 2000, seed: 11 },
  );
});

test('any value in any field is rendered or refused with a problem at that field', () => {
  const fields = Object.keys((optionsSchema('aks/v1.14')['properties'] ?? {}) as object);
  fc.assert(
    fc.property(fc.constantFrom(...fields), anyJson, fc.boolean(), (field, value, lenient) => {
      const problems = expectRenderedOrRefused({ ...typical, [field]: value }, { bootstrapper: 'aks/v1.14', lenient });
      for (const problem of problems)
        if (problem.severity === 'error') expect(`${problem.path}/`).toMatch(new RegExp(`^(/${field}/|/gpu|//?$)`));
    }),
    { numRuns: 3000, seed: 12 },
  );
});

test('what check accepts is what render renders', () => {
  const fields = Object.keys((optionsSchema('aks/v1.14')['properties'] ?? {}) as object);
  fc.assert(
    fc.property(fc.constantFrom(...fields), fc.oneof(anyJson, fc.string()), (field, value) => {
      const options = { ...typical, [field]: value };
      const isRefused = check(options).some((problem) => problem.severity === 'error');
      if (isRefused) expect(() => render(options)).toThrow(RefusedError);
      else expect(render(options).bytes).toBeGreaterThan(0);
    }),
    { numRuns: 2000, seed: 13 },
  );
});

test('ten thousand labels, some with names that objects treat specially, are rendered in lenient mode', () => {
  const labels = Object.create(null) as Record<string, string>;
  for (let index = 0; index < 10_000; index++) labels[String(index)] = `v${index}`;
  for (const name of ['__proto__', 'constructor', 'toString']) labels[name] = 'x';
  const { decoded } = renderVariables({ ...typical, labels }, { lenient: true });
  expect({ ...(decoded['KUBELET_NODE_LABELS'] as object) }).toEqual({ ...labels });
});

function expectRenderedOrRefused(options: unknown, settings: { bootstrapper: string; lenient: boolean }) {
  try {
    return render(options, settings).problems;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    expect(error.problems.some((problem) => problem.severity === 'error')).toBe(true);
    return error.problems;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const item of Object.values(Object.freeze(value))) deepFreeze(item);
  return value;
}
