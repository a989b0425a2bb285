import type { TestProject } from 'vitest/node';
import { missingFor } from '../../bench/cluster/requirements.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this computer can run a cluster. */
    hasCluster: boolean;
  }
}

/** Says in one line what keeps a cluster from running here. That fails where nothing may be skipped. */
export async function setup(project: TestProject): Promise<void> {
  const missing = await missingFor('cluster');
  project.provide('hasCluster', missing.length === 0);
  if (missing.length === 0) return;
  const line = `no cluster can run here, so its tests are skipped: ${missing.join('; ')}`;
  if (process.env['BOOTLACE_REQUIRE_ALL']) throw new Error(line);
  process.stderr.write(`${line}\n`);
}
