import { defineConfig } from 'vitest/config';
import { reporters } from './test/support/reporters.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    // Each has a configuration of its own.
    exclude: ['test/package/**', 'test/cluster/**'],
    globalSetup: 'test/support/bundle.ts',
    testTimeout: 60_000,
    ...reporters(),
  },
});
