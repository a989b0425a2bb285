import type { Random } from './random.ts';
import type { Timings } from './timings.ts';

/** Pauses of a client that asks again and again, as the reflectors of client-go make them. */
export interface Retry {
  /** Milliseconds until the next try. */
  next(): number;
  /** The last try succeeded. */
  reset(): void;
}

export function createRetry({ first, longest }: Timings['reflector'], random: Random): Retry {
  let pause = first;
  return {
    next: () => {
      const drawn = pause * (1 + random.next());
      pause = Math.min(pause * 2, longest);
      return Math.min(drawn, longest);
    },
    reset: () => {
      pause = first;
    },
  };
}
