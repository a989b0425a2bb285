import { setTimeout as sleep } from 'node:timers/promises';
import { alone, removeCluster, removeState, type Bench } from './bench.ts';
import { buildCgroup } from './build.ts';
import { removeCgroup } from './cgroups.ts';
import { BenchError } from './errors.ts';
import type { Progress } from './progress.ts';

const PATIENCE = 30_000;

/**
 * Ends every process of the bench and removes its cluster. Namespaces, mounts and cables go with the processes that
 * live in them, and processes are found by their cgroup, so this works after any crash. A command of the same bench
 * that still runs fails by that, and is waited for, so that it puts nothing back.
 */
export async function down(bench: Bench, progress: Progress, everything: boolean): Promise<void> {
  await progress.step('ending every process of the bench', async () => {
    await endProcesses(bench);
    const deadline = Date.now() + PATIENCE;
    const wait = async (): Promise<void> => {
      if (Date.now() > deadline)
        throw new BenchError('another command of this bench does not end', { hint: 'End it.' });
      await endProcesses(bench);
      await sleep(200);
    };
    const remove = async (): Promise<void> => {
      await endProcesses(bench);
      await removeCluster(bench);
      // Packed images stay for the next cluster otherwise.
      if (everything) await removeState(bench);
    };
    await alone(bench.cgroup, () => alone(`${bench.cgroup}/probe`, remove, wait), wait);
  });
}

async function endProcesses(bench: Bench): Promise<void> {
  await removeCgroup(buildCgroup(bench.cgroup));
  await removeCgroup(bench.cgroup);
}
