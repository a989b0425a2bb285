import { describe, expect, test } from 'vitest';
import { createSimulatedClock } from '../../core/clock.ts';
import { poll, retry } from './retry.ts';

const TIMES = { intervalMilliseconds: 500, timeoutMilliseconds: 120_000 };

describe('polling', () => {
  test('asks at once and does not sleep when there is nothing to wait for', async () => {
    const clock = createSimulatedClock();
    expect(await poll(clock, TIMES, async () => true)).toBe(true);
    expect(clock.sleeps).toEqual([]);
  });

  test('asks at every interval from the start to the end, both included', async () => {
    const clock = createSimulatedClock();
    const asked: number[] = [];
    expect(await poll(clock, TIMES, async () => asked.push(clock.now()) === 0)).toBe(false);
    expect(asked).toEqual(Array.from({ length: 241 }, (_, index) => index * 500));
  });

  test('counts the time that asking takes, and asks once more when time is up', async () => {
    const clock = createSimulatedClock();
    const asked: number[] = [];
    await poll(clock, { intervalMilliseconds: 500, timeoutMilliseconds: 1000 }, async () => {
      asked.push(clock.now());
      await clock.sleep(400);
      return false;
    });
    expect(asked).toEqual([0, 900, 1300]);
  });

  test('passes on what the condition throws', async () => {
    const clock = createSimulatedClock();
    await expect(poll(clock, TIMES, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  });
});

describe('retrying', () => {
  const times = { tries: 5, firstSleepMilliseconds: 5000 };

  test('sleeps between tries alone, twice as long each time', async () => {
    const clock = createSimulatedClock();
    let tries = 0;
    const result = await retry(clock, times, async () => {
      tries += 1;
      throw new Error(`failure ${tries}`);
    });
    expect(result).toEqual({ succeeded: false, lastError: new Error('failure 5') });
    expect(clock.sleeps).toEqual([5000, 10_000, 20_000, 40_000]);
  });

  test('ends with the first success', async () => {
    const clock = createSimulatedClock();
    let tries = 0;
    const result = await retry(clock, times, async () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
    });
    expect(result).toEqual({ succeeded: true });
    expect(clock.sleeps).toEqual([5000, 10_000]);
  });
});
