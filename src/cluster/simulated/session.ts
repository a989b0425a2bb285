import type { Clock, SimulatedClock } from '../../core/clock.ts';

/** The life of one program that stands outside of the simulated components, such as bootlace itself. */
export interface Session {
  /** Time as the program has it: for one that was killed no sleep ends. */
  readonly clock: Clock;
  readonly isAlive: boolean;
  /**
   * Hands over what an action gives, once. For a program that was killed no call ends; where the simulation itself has
   * failed each one rejects.
   */
  wait<T>(begin: (settle: (value: T) => void) => void): Promise<T>;
  /** SIGKILL: nothing that the program waits for happens any more. */
  kill(): void;
  /** Hears of its end, as the other end of a connection does. Returns what ends that. */
  onKill(listener: () => void): () => void;
}

export function createSession(clock: SimulatedClock): Session {
  const waiting = new Set<{ release: () => void }>();
  const listeners = new Set<() => void>();
  let isAlive = true;

  function wait<T>(begin: (settle: (value: T) => void) => void): Promise<T> {
    if (!isAlive) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      const own = { release: () => {} };
      const end = (hand: () => void): void => {
        if (!waiting.delete(own)) return;
        own.release();
        hand();
      };
      waiting.add(own);
      own.release = clock.hold((error) => end(() => reject(error as Error)));
      if (!waiting.has(own)) return;
      try {
        begin((value) => end(() => resolve(value)));
      } catch (error) {
        end(() => reject(error as Error));
      }
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
    onKill: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    kill: () => {
      isAlive = false;
      for (const { release } of waiting) release();
      waiting.clear();
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
