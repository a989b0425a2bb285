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
   * calls it off.
   */
  at(time: number, action: () => void): () => void;
  /** For an action that has settled a promise: whoever waits for it runs before the next action does. */
  giveWay(): void;
}

interface Timer {
  readonly time: number;
  readonly run: () => void;
  readonly isSleep: boolean;
}

/**
 * The clock starts at 0 and jumps to the end of the earliest sleep as soon as all other work has come to rest, so
 * that several sleepers wake in the order of their times. Actions alone do not move it.
 */
export function createSimulatedClock(): SimulatedClock {
  const sleeps: number[] = [];
  const timers: Timer[] = [];
  let now = 0;
  let sleepers = 0;
  let isMoving = false;
  let givesWay = false;

  function add(timer: Timer): () => void {
    timers.splice(placeOf(timer.time), 0, timer);
    if (timer.isSleep) sleepers += 1;
    if (!isMoving) move();
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

  function move(): void {
    isMoving = sleepers > 0;
    // After everything that is already under way: promises first, then whatever else is ready to run.
    if (isMoving) setImmediate(next);
  }

  function next(): void {
    givesWay = false;
    while (sleepers > 0 && !givesWay) {
      const timer = timers.shift()!;
      now = Math.max(now, timer.time);
      if (timer.isSleep) {
        sleepers -= 1;
        givesWay = true;
      }
      timer.run();
    }
    move();
  }

  return {
    sleeps,
    now: () => now,
    sleep: (milliseconds) => {
      sleeps.push(milliseconds);
      return new Promise((resolve) => add({ time: now + milliseconds, run: resolve, isSleep: true }));
    },
    at: (time, action) => add({ time, run: action, isSleep: false }),
    giveWay: () => {
      givesWay = true;
    },
  };
}
