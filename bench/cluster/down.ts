import { rm } from 'node:fs/promises';
import { removeCluster, type Bench } from './bench.ts';
import { buildCgroup } from './build.ts';
import { removeCgroup } from './cgroups.ts';
import type { Progress } from './progress.ts';

/**
 * Ends every process of the bench and removes its cluster. Namespaces, mounts and cables go with the processes that
 * live in them, and processes are found by their cgroup, so this works after any crash.
 */
export async function down(bench: Bench, progress: Progress, everything: boolean): Promise<void> {
  await progress.step('ending every process of the bench', async () => {
    await removeCgroup(buildCgroup(bench.cgroup));
    await removeCgroup(bench.cgroup);
  });
  await removeCluster(bench);
  // Packed images and reports of probes stay for the next cluster otherwise.
  if (everything) await rm(bench.state, { recursive: true, force: true });
}
