import { describe, expect, onTestFinished, test } from 'vitest';
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

  test('hands an exception in an action to everyone who waits, and to everyone who does later', async () => {
    const clock = createSimulatedClock();
    const error = new Error('x');
    const heard: unknown[] = [];
    const seen: string[] = [];
    clock.hold((reason) => heard.push(reason));
    // Nobody is told for this one.
    clock.hold();
    clock.at(10, () => {
      throw error;
    });
    clock.at(11, () => seen.push('later'));
    const sleeps = await Promise.allSettled([clock.sleep(5), clock.sleep(20), clock.sleep(30)]);
    expect(sleeps).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
    await expect(clock.sleep(1)).rejects.toBe(error);
    expect(heard).toEqual([error]);
    clock.hold((reason) => heard.push(reason))();
    expect(heard).toEqual([error, error]);
    expect(seen).toEqual([]);
    expect(clock.now()).toBe(10);
  });

  test('leaves no rejection behind where nobody waits for a sleep any more', async () => {
    const clock = createSimulatedClock();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    clock.hold();
    let hasRun = false;
    clock.at(10, () => {
      hasRun = true;
      throw new Error('x');
    });
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(hasRun).toBe(true);
    expect(unhandled).toEqual([]);
  });

  test('takes no time that is none', async () => {
    const clock = createSimulatedClock();
    expect(() => clock.at(Number.NaN, () => {})).toThrow(RangeError);
    await expect(clock.sleep(Number.NaN)).rejects.toThrow(RangeError);
    await clock.sleep(5);
    expect(clock.now()).toBe(5);
  });

  test('does not spin for ever where actions follow each other and no time passes', async () => {
    const clock = createSimulatedClock();
    const again = (): void => void clock.at(clock.now(), again);
    clock.at(3, again);
    await expect(clock.sleep(10)).rejects.toThrow('stands still at 3 ms');
  });
});
