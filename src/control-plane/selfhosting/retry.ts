import type { Clock } from '../../core/clock.ts';

export interface PollTimes {
  readonly intervalMilliseconds: number;
  readonly timeoutMilliseconds: number;
}

/**
 * Asks at once, then at every interval, and a last time when the time is up. Returns whether the condition held.
 * The time that asking takes counts; a call under way is not cut off.
 */
export async function poll(clock: Clock, times: PollTimes, condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = clock.now() + times.timeoutMilliseconds;
  for (;;) {
    const isLast = clock.now() >= deadline;
    if (await condition()) return true;
    if (isLast) return false;
    const left = deadline - clock.now();
    if (left > 0) await clock.sleep(Math.min(times.intervalMilliseconds, left));
  }
}

export interface RetryTimes {
  readonly tries: number;
  /** Between the first try and the second. Each sleep after it is twice as long, and none follows the last try. */
  readonly firstSleepMilliseconds: number;
}

export type RetryResult = { readonly succeeded: true } | { readonly succeeded: false; readonly lastError: unknown };

/** Tries until it works. Whatever is thrown counts as a failure that may pass. */
export async function retry(clock: Clock, times: RetryTimes, attempt: () => Promise<void>): Promise<RetryResult> {
  let sleep = times.firstSleepMilliseconds;
  for (let left = times.tries; ; left -= 1) {
    try {
      await attempt();
      return { succeeded: true };
    } catch (lastError) {
      if (left <= 1) return { succeeded: false, lastError };
    }
    await clock.sleep(sleep);
    sleep *= 2;
  }
}
