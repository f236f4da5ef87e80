import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW_FILES } from './test/slow-files.ts';

/** Of these, `npm test` tries only some of what they could draw. */
const PROPERTIES = [
  'test/properties.test.ts',
  'src/**/life.test.ts',
  'src/vm/node/simulated/fleet-faults.test.ts',
  'src/vm/engine/faults.test.ts',
  'src/control-plane/apiserver/store/lmdb-store.test.ts',
  'src/platform/kube/manifest.test.ts',
  'src/platform/runtime/two-operators.test.ts',
  'test/node-lease/node-lease.test.ts',
  'src/platform/structural/cel/program.test.ts',
  'src/control-plane/apiserver/apiextensions/checks/any-schema.test.ts',
  'src/control-plane/apiserver/protobuf/protobuf.test.ts',
  'src/control-plane/apiserver/work-growth.test.ts',
];

/** Tests that take minutes: not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts', ...SLOW_FILES, ...PROPERTIES],
    env: { VIMANA_PROPERTY_RUNS: '4' },
    setupFiles: ['test/property-seed.ts'],
    pool: 'threads',
    maxWorkers: availableParallelism(),
    isolate: false,
    testTimeout: 60 * 60_000,
    hookTimeout: 2 * 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['verbose', './tools/closing-line.ts'],
  },
});
