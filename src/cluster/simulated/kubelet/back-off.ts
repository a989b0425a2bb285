import type { Timings } from '../timings.ts';

/** How long a container that ended has to wait, as the kubelet remembers it until its own end. */
export interface BackOff {
  /** Milliseconds from now until a container may start again that ended at a moment. */
  pauseOf(key: string, endedAt: number): number;
  /** Notes that it is started again, so that the next pause is twice as long. */
  note(key: string, endedAt: number): void;
}

interface Entry {
  readonly pause: number;
  readonly notedAt: number;
}

export function createBackOff({ first, longest, forgottenAfter }: Timings['backOff'], now: () => number): BackOff {
  const entries = new Map<string, Entry>();

  function entryOf(key: string, endedAt: number): Entry | undefined {
    const entry = entries.get(key);
    return entry !== undefined && endedAt - entry.notedAt <= forgottenAfter ? entry : undefined;
  }

  return {
    // The first time that a container ends it is started again at once: nothing is noted of it yet.
    pauseOf: (key, endedAt) => {
      const entry = entryOf(key, endedAt);
      return entry === undefined ? 0 : Math.max(0, endedAt + entry.pause - now());
    },
    note: (key, endedAt) => {
      const before = entryOf(key, endedAt);
      const pause = before === undefined ? first : Math.min(before.pause * 2, longest);
      entries.set(key, { pause, notedAt: now() });
    },
  };
}
