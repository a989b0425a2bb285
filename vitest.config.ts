import { defineConfig } from 'vitest/config';
import { reporters } from './test/support/reporters.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/package/**'],
    globalSetup: 'test/support/bundle.ts',
    testTimeout: 60_000,
    ...reporters(),
  },
});
