import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { bundleCommand } from '../../scripts/build/command.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundled command. */
    command: string;
  }
}

/** Bundles the command once for all tests: it starts several times faster than from its sources. */
export default async function setup(project: TestProject): Promise<void> {
  const folder = fileURLToPath(new URL('../../node_modules/.cache/bootlace-test', import.meta.url));
  project.provide('command', await bundleCommand(folder));
}
