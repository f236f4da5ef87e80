import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW_FILES } from './test/slow-files.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/long/**', ...SLOW_FILES, 'test/nightly/**', 'test/cluster/**', 'test/**/*.cluster.test.ts'],
    setupFiles: ['test/property-seed.ts'],
    pool: 'threads',
    // One more than there are cores: much of the time goes into waiting for processes that tests have started.
    maxWorkers: availableParallelism() + 1,
    isolate: false,
    // Says that something hangs, not that it is slow: how fast a machine is must not decide over a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', './tools/closing-line.ts'],
  },
});
