import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RefusedError } from '../../src/core/errors.ts';
import { check } from '../../src/node/check.ts';
import { renderVariables } from '../../src/node/render.ts';
import { expectGolden } from './golden.ts';

/** One input, with what the Go package printed for it. */
interface GoCase {
  readonly name: string;
  readonly options: unknown;
  readonly variables?: Readonly<Record<string, string>>;
  readonly decoded?: Readonly<Record<string, unknown>>;
  readonly goError?: string;
}

describe.each(['v0.4.0', 'v1.14'])('aks/%s', (profile) => {
  const bootstrapper = `aks/${profile}`;
  const lines = readFileSync(new URL(`aks/${profile}.jsonl`, import.meta.url), 'utf8').trim().split('\n');
  const cases = lines.map((line) => JSON.parse(line) as GoCase);

  test.each(cases.filter((one) => one.goError === undefined))('$name: lenient assigns what Go assigned', ({ options, variables, decoded }) => {
    const rendered = renderVariables(options, { bootstrapper, lenient: true });
    expect(JSON.parse(JSON.stringify(rendered))).toEqual({ variables, decoded });
  });

  test.each(cases.filter((one) => one.goError !== undefined))('$name: where Go panics there is a typed error', ({ options }) => {
    expect(() => renderVariables(options, { bootstrapper, lenient: true })).toThrow(RefusedError);
  });

  test('the verdict of strict mode on each input is as recorded', () => {
    const verdicts = cases.map(({ name, options }) => {
      const problems = check(options, { bootstrapper });
      const findings = problems.map(({ severity, code, path }) => `  ${severity} ${code} ${path}\n`).join('');
      return `${name}: ${problems.some((problem) => problem.severity === 'error') ? 'refused' : 'rendered'}\n${findings}`;
    });
    expectGolden(`aks/${profile}.verdicts.txt`, verdicts.join(''));
  });
});
