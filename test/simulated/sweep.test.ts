import { expect, test } from 'vitest';
import { GROUNDS, sampleOf } from '../sweep/cases.ts';
import { carryOut, casesOn } from '../sweep/sweep.ts';

// A few cases of each kind. `npm run sweep` has all of them.
const SEED = 1;
const PER_KIND = 3;

test.each(GROUNDS)('whatever goes wrong in a $change on $nodes control planes, it ends well', async (ground) => {
  const cases = await casesOn(ground, SEED);
  expect(cases.length).toBeGreaterThan(300);
  for (const one of sampleOf(cases, PER_KIND, SEED)) {
    const { outcomes, wrong } = await carryOut(one, SEED);
    expect(wrong, `${one.name}: ${outcomes.join(', then ')}`).toEqual([]);
  }
});
