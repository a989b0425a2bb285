import type { Clock, SimulatedClock } from '../../core/clock.ts';

/** The life of one program that stands outside of the simulated components, such as bootlace itself. */
export interface Session {
  /** Time as the program has it: for one that was killed no sleep ends. */
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** Hands over what an action gives, once. For a program that was killed no call ends. */
  wait<T>(begin: (settle: (value: T) => void) => void): Promise<T>;
  /** SIGKILL: nothing that the program waits for happens any more. */
  kill(): void;
}

export function createSession(clock: SimulatedClock): Session {
  const releases = new Set<() => void>();
  let isAlive = true;

  function wait<T>(begin: (settle: (value: T) => void) => void): Promise<T> {
    if (!isAlive) return new Promise(() => {});
    const release = clock.hold();
    releases.add(release);
    return new Promise((resolve) => {
      begin((value) => {
        if (!releases.delete(release)) return;
        release();
        resolve(value);
      });
    });
  }

  return {
    clock: {
      now: () => clock.now(),
      sleep: (milliseconds) =>
        wait<void>((settle) => void clock.at(clock.now() + milliseconds, () => settle(undefined))),
    },
    get isAlive() {
      return isAlive;
    },
    wait,
    kill: () => {
      isAlive = false;
      for (const release of releases) release();
      releases.clear();
    },
  };
}
