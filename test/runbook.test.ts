import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const RUNBOOK = read('docs/change-a-control-plane.md');

/** The codes of a type, as its declaration has them. */
function codesOf(type: string): readonly string[] {
  const declared = new RegExp(`export type ${type} =([^;]*);`).exec(read('src/core/errors.ts'))![1]!;
  return [...declared.matchAll(/'(\w+)'/g)].map(([, code]) => code!);
}

test.each([...codesOf('StepErrorCode'), ...codesOf('ClusterErrorCode'), 'OUTPUT_FAILED', 'SIMULATION_STALLED'])(
  'the runbook says what to do about %s',
  (code) => {
    expect(RUNBOOK).toMatch(new RegExp(`^\\| [^|]*\`${code}\`[^|]* \\| [^|]+ \\| [^|]+ \\|$`, 'm'));
  },
);

test('the runbook says what to do about every exit status', () => {
  const numbers = [...read('src/cli/io.ts').matchAll(/^ {2}\w+: (\d+),$/gm)].map(([, number]) => number!);
  expect(numbers.length).toBeGreaterThan(5);
  for (const number of numbers) expect(RUNBOOK).toMatch(new RegExp(`^\\| ${number} +\\|`, 'm'));
});
