import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/cluster/**', 'test/**/*.cluster.test.ts'],
    setupFiles: ['test/property-seed.ts'],
    pool: 'threads',
    isolate: false,
    testTimeout: 20_000,
    reporters: ['default', './tools/closing-line.ts'],
  },
});
