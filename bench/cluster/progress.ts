/** Tells a person what goes on, on standard error. */
export interface Progress {
  /** Runs a piece of work under a name, and says how long it took. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  say(text: string): void;
}

const STILL_EVERY = 30_000;

export function createProgress(write: (text: string) => void, now: () => number): Progress {
  const start = now();
  const line = (text: string): void => write(`${clock(now() - start)}  ${text}\n`);
  return {
    say: line,
    async step(name, work) {
      const began = now();
      line(`${name} …`);
      const timer = setInterval(() => line(`${name}: still at it after ${seconds(now() - began)}`), STILL_EVERY);
      try {
        const result = await work();
        line(`${name}: done in ${seconds(now() - began)}`);
        return result;
      } catch (error) {
        line(`${name}: failed after ${seconds(now() - began)}`);
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
  };
}

/** Nobody is told. */
export const quiet: Progress = { step: (_, work) => work(), say: () => {} };

function clock(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000);
  return `${String(Math.floor(whole / 60)).padStart(3)}:${String(whole % 60).padStart(2, '0')}`;
}

function seconds(milliseconds: number): string {
  return milliseconds < 10_000 ? `${(milliseconds / 1000).toFixed(1)} s` : `${Math.round(milliseconds / 1000)} s`;
}
