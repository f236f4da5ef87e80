import { defineConfig } from 'vitest/config';

/** Tests that take minutes: not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    setupFiles: ['test/property-seed.ts'],
    pool: 'threads',
    isolate: false,
    testTimeout: 60 * 60_000,
    reporters: ['verbose', './tools/closing-line.ts'],
  },
});
