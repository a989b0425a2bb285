import { expect, test } from 'vitest';
import { createSimulatedCluster } from '../../src/testing/index.ts';
import { planChange } from '../../src/control-plane/index.ts';
import { drillsOf, nameOf } from './drills.ts';

test('the drill strikes eight steps of a pivot, each with a kill and with a power cut', async () => {
  const simulated = createSimulatedCluster();
  await simulated.start();
  const { plan } = await planChange(simulated.login('cp1'), { verb: 'pivot' });
  const steps = plan.steps.map(({ name }) => name.replace(/^cp1\//, ''));
  const drills = drillsOf(false);
  expect(drills).toHaveLength(16);
  expect(new Set(drills.map(({ step, strike }) => `${step} ${strike}`)).size).toBe(16);
  expect(drills.filter(({ step }) => !steps.includes(step)).map(nameOf)).toEqual([]);
});

test('every remedy is practised, the offline one after power cuts', () => {
  const after = (remedy: string): number => drillsOf(false).filter((drill) => drill.remedy === remedy).length;
  expect([after('resume'), after('rollback'), after('offline')]).toEqual([7, 7, 2]);
  expect(drillsOf(true)).toHaveLength(48);
});
