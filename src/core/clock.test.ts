import { describe, expect, test } from 'vitest';
import { createSimulatedClock, systemClock } from './clock.ts';

test('the clock of the machine sleeps at least as long as it was told', async () => {
  const before = systemClock.now();
  await systemClock.sleep(20);
  // A timer of Node may fire up to one millisecond early by the other clock.
  expect(systemClock.now() - before).toBeGreaterThanOrEqual(19);
});

describe('the simulated clock', () => {
  test('moves by sleep alone, and remembers each', async () => {
    const clock = createSimulatedClock();
    expect(clock.now()).toBe(0);
    await clock.sleep(500);
    await clock.sleep(120_000);
    expect(clock.now()).toBe(120_500);
    expect(clock.sleeps).toEqual([500, 120_000]);
  });

  test('wakes several sleepers in the order of their times, whoever began first', async () => {
    const clock = createSimulatedClock();
    const woken: string[] = [];
    async function sleeper(name: string, ...naps: number[]): Promise<void> {
      for (const nap of naps) {
        await clock.sleep(nap);
        woken.push(`${name} at ${clock.now()}`);
      }
    }
    await Promise.all([sleeper('a', 30, 30), sleeper('b', 10, 10, 20), sleeper('c', 60)]);
    expect(woken).toEqual(['b at 10', 'b at 20', 'a at 30', 'b at 40', 'c at 60', 'a at 60']);
  });

  test('runs actions on its way, at their times', async () => {
    const clock = createSimulatedClock();
    const seen: number[] = [];
    clock.at(700, () => seen.push(clock.now()));
    clock.at(300, () => seen.push(clock.now()));
    clock.at(1001, () => seen.push(clock.now()));
    await clock.sleep(1000);
    expect(seen).toEqual([300, 700]);
    await clock.sleep(1);
    expect(seen).toEqual([300, 700, 1001]);
  });

  test('stands still while nobody sleeps, and an action for a time that has passed runs at the next sleep', async () => {
    const clock = createSimulatedClock();
    const seen: number[] = [];
    await clock.sleep(100);
    clock.at(50, () => seen.push(clock.now()));
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
    expect(clock.now()).toBe(100);
    await clock.sleep(5);
    expect(seen).toEqual([100]);
    expect(clock.now()).toBe(105);
  });

  test('does not run an action that was called off', async () => {
    const clock = createSimulatedClock();
    const seen: string[] = [];
    const callOff = clock.at(10, () => seen.push('called off'));
    clock.at(10, () => seen.push('kept'));
    callOff();
    callOff();
    await clock.sleep(20);
    expect(seen).toEqual(['kept']);
  });

  test('moves for somebody who waits for an action, and lets them run before the next one', async () => {
    const clock = createSimulatedClock();
    const seen: string[] = [];
    const release = clock.hold();
    const woken = new Promise<void>((resolve) =>
      clock.at(10, () => {
        release();
        release();
        resolve();
      }),
    ).then(() => seen.push(`woken at ${clock.now()}`));
    clock.at(11, () => seen.push('later'));
    await woken;
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['woken at 10']);
    await clock.sleep(5);
    expect(seen).toEqual(['woken at 10', 'later']);
  });
});
