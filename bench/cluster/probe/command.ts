import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../bench.ts';
import type { Progress } from '../progress.ts';
import { startProbe } from './probe.ts';
import { timelineText } from './timeline.ts';

export interface ProbeCommand {
  /** How long it measures; default until the signal comes. */
  readonly seconds?: number;
  readonly form: 'json' | 'timeline';
  readonly columns: number;
  readonly write: (text: string) => void;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Measures and prints the report. A write that failed is no failure of the command. */
export async function runProbe(
  cluster: Cluster,
  { seconds, form, columns, write, progress, signal }: ProbeCommand,
): Promise<number> {
  const probe = await progress.step('starting the probe', () => startProbe(cluster, { signal }));
  progress.say(seconds === undefined ? 'measuring until Ctrl-C' : `measuring for ${seconds} s`);
  await sleep(seconds === undefined ? 2 ** 31 - 1 : seconds * 1000, undefined, { signal }).catch(() => {});
  const { report, observations } = await progress.step('letting watches catch up', () => probe.stop());
  write(form === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : timelineText(report, observations, columns));
  progress.say(`everything that was seen is in ${probe.folder}`);
  return 0;
}
