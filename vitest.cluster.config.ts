import { defineConfig } from 'vitest/config';

/**
 * Tests that need a real control plane: those of test/cluster, and any test/.../<name>.cluster.test.ts. Not part of
 * `npm test`.
 */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts', 'test/**/*.cluster.test.ts'],
    globalSetup: ['test/cluster/set-up.ts'],
    setupFiles: ['test/property-seed.ts'],
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    testTimeout: 10 * 60_000,
    hookTimeout: 2 * 60_000,
    reporters: ['verbose', './tools/closing-line.ts'],
  },
});
