import { defineConfig } from 'vitest/config';
import { reporters } from './test/support/reporters.ts';

// One file after the other: each brings up clusters, and the computer has to carry them.
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: ['test/support/bundle.ts', 'test/cluster/needs.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    // A first run builds Kubernetes.
    hookTimeout: 45 * 60_000,
    ...reporters(),
  },
});
