import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that take an hour or more. Neither `npm test` nor `.ci/run` runs them. */
export default defineConfig({
  test: {
    include: ['test/nightly/**/*.test.ts', 'test/long/{apiserver,store}-kill.test.ts'],
    env: { VIMANA_STORE_KILL_SEED: 'two' },
    setupFiles: ['test/property-seed.ts'],
    pool: 'threads',
    maxWorkers: availableParallelism(),
    isolate: false,
    testTimeout: 6 * 60 * 60_000,
    hookTimeout: 2 * 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['verbose', './tools/closing-line.ts'],
  },
});
