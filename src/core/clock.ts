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
  /**
   * Lets the clock move as a sleep does, for somebody who waits for an action and not for a time. Returns what ends
   * that: whoever waited then runs before the next action does.
   */
  hold(): () => void;
}

interface Timer {
  readonly time: number;
  readonly run: () => void;
}

/** Actions in one turn of the event loop: a wait that never ends must not keep others from being heard. */
const ACTIONS_A_TURN = 10_000;

/**
 * The clock starts at 0 and jumps to the next action or end of a sleep as soon as all other work has come to rest, so
 * that several sleepers wake in the order of their times. Actions alone do not move it.
 */
export function createSimulatedClock(): SimulatedClock {
  const sleeps: number[] = [];
  const timers: Timer[] = [];
  let now = 0;
  let holders = 0;
  let isMoving = false;
  let givesWay = false;

  function at(time: number, run: () => void): () => void {
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

  function hold(): () => void {
    let isHeld = true;
    holders += 1;
    move();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holders -= 1;
      givesWay = true;
    };
  }

  function move(): void {
    if (isMoving || holders === 0 || timers.length === 0) return;
    isMoving = true;
    // After everything that is already under way: promises first, then whatever else is ready to run.
    setImmediate(next);
  }

  function next(): void {
    givesWay = false;
    for (let left = ACTIONS_A_TURN; left > 0 && holders > 0 && !givesWay && timers.length > 0; left -= 1) {
      const timer = timers.shift()!;
      now = Math.max(now, timer.time);
      timer.run();
    }
    isMoving = false;
    move();
  }

  return {
    sleeps,
    now: () => now,
    sleep: (milliseconds) => {
      sleeps.push(milliseconds);
      const release = hold();
      return new Promise((resolve) => {
        at(now + milliseconds, () => {
          release();
          resolve();
        });
      });
    },
    at,
    hold,
  };
}
