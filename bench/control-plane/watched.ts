import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/bench.ts';
import { startProbe, type ProbeResult } from '../cluster/probe/probe.ts';

/** Does something while clients write, a while before it and after it, and says what they saw. */
export async function watched<T>(
  cluster: Cluster,
  work: () => Promise<T>,
  { before = 2, after = 3 }: { readonly before?: number; readonly after?: number } = {},
): Promise<{ readonly result: T; readonly seconds: number; readonly seen: ProbeResult }> {
  const probe = await startProbe(cluster);
  try {
    await sleep(before * 1000);
    const start = performance.now();
    const result = await work();
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    await sleep(after * 1000);
    return { result, seconds, seen: await probe.stop() };
  } catch (error) {
    await probe.stop();
    throw error;
  }
}
