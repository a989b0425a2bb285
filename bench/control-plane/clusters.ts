import { mkdtemp } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBench, type Cluster } from '../cluster/bench.ts';
import { down } from '../cluster/down.ts';
import { quiet } from '../cluster/progress.ts';
import { readSettings, type SettingFlags } from '../cluster/settings.ts';
import { up } from '../cluster/up.ts';
import { install } from './bootlace.ts';

/** Where programs are kept between runs: the user's own cache. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bootlace');

/**
 * Works with a cluster of its own, with an executable on each node of its control plane. The cluster is removed with
 * everything in it, also when the work fails or the user ends it.
 */
export async function withCluster<T>(
  flags: SettingFlags,
  binary: string,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const bench = await openBench(await mkdtemp(join(tmpdir(), 'bootlace-bench-')), CACHE, true);
  const remove = (): Promise<void> => down(bench, quiet, true);
  const interrupted = (): void => void remove().finally(() => process.exit(130));
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  try {
    const cluster = await up(bench, readSettings(flags), quiet);
    for (const { name, role } of cluster.plan.nodes) if (role === 'control-plane') await install(cluster, name, binary);
    return await work(cluster);
  } finally {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
    await remove();
  }
}
