/** Time, as an argument: code that waits says so, and a test decides how fast it passes. */
export interface Clock {
  /** Milliseconds since a moment that never changes. It never goes back, so that only differences mean something. */
  now(): number;
  /** Ends after that many milliseconds. */
  sleep(milliseconds: number): Promise<void>;
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/** A clock on which nothing lasts but sleep, and sleep takes no time. */
export interface SimulatedClock extends Clock {
  /** Every sleep so far, in milliseconds, in the order in which they began. */
  readonly sleeps: readonly number[];
  /**
   * Runs an action when the clock gets there, before sleeps that end at the same moment and began later. Returns what
   * calls it off. An action that throws ends the clock: every sleep, those that begin later too, rejects with its error.
   */
  at(time: number, action: () => void): () => void;
  /**
   * Lets the clock move as a sleep does, for somebody who waits for an action and not for a time. Returns what ends
   * that: whoever waited then runs before the next action does. `onFailure` hears of an action that threw, at once where
   * one did already: nothing that is waited for happens any more.
   */
  hold(onFailure?: (error: unknown) => void): () => void;
}

interface Timer {
  readonly time: number;
  readonly run: () => void;
}

/** Actions in one turn of the event loop: a wait that never ends must not keep others from being heard. */
const ACTIONS_A_TURN = 10_000;

/** Actions at one moment from which on they count as going on for ever. */
const ACTIONS_A_MOMENT = 1_000_000;

/**
 * The clock starts at 0 and jumps to the next action or end of a sleep as soon as all other work has come to rest, so
 * that several sleepers wake in the order of their times. Actions alone do not move it.
 */
export function createSimulatedClock(): SimulatedClock {
  const sleeps: number[] = [];
  const timers: Timer[] = [];
  const holders = new Set<{ readonly onFailure: ((error: unknown) => void) | undefined }>();
  let now = 0;
  /** Actions that ran since time moved. */
  let idle = 0;
  let failure: { readonly error: unknown } | undefined;
  let isMoving = false;
  let givesWay = false;

  function at(time: number, run: () => void): () => void {
    if (Number.isNaN(time)) throw new RangeError('An action needs a time to run at, and NaN is none.');
    const timer = { time, run };
    timers.splice(placeOf(time), 0, timer);
    move();
    return () => {
      const place = timers.indexOf(timer);
      if (place >= 0) timers.splice(place, 1);
    };
  }

  /** Behind all timers of the same moment. */
  function placeOf(time: number): number {
    let low = 0;
    for (let high = timers.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (timers[middle]!.time > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function hold(onFailure?: (error: unknown) => void): () => void {
    if (failure !== undefined) {
      onFailure?.(failure.error);
      return () => {};
    }
    const holder = { onFailure };
    holders.add(holder);
    move();
    return () => {
      if (holders.delete(holder)) givesWay = true;
    };
  }

  function move(): void {
    if (isMoving || failure !== undefined || holders.size === 0 || timers.length === 0) return;
    isMoving = true;
    // After everything that is already under way: promises first, then whatever else is ready to run.
    setImmediate(next);
  }

  function next(): void {
    givesWay = false;
    try {
      for (let left = ACTIONS_A_TURN; left > 0 && holders.size > 0 && !givesWay && timers.length > 0; left -= 1) step();
    } catch (error) {
      fail(error);
    }
    isMoving = false;
    move();
  }

  function step(): void {
    const timer = timers.shift()!;
    idle = timer.time > now ? 0 : idle + 1;
    if (idle > ACTIONS_A_MOMENT)
      throw new Error(
        `The simulated clock stands still at ${now} ms: something does one thing after another for ever.`,
      );
    now = Math.max(now, timer.time);
    timer.run();
  }

  function fail(error: unknown): void {
    failure = { error };
    const waiting = [...holders];
    holders.clear();
    for (const { onFailure } of waiting) onFailure?.(error);
  }

  return {
    sleeps,
    now: () => now,
    sleep: (milliseconds) => {
      sleeps.push(milliseconds);
      return new Promise((resolve, reject) => {
        let release = (): void => {};
        at(now + milliseconds, () => {
          release();
          resolve();
        });
        release = hold(reject);
      });
    },
    at,
    hold,
  };
}
