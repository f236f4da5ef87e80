import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** fast-check's seeds are 32-bit integers. */
const seed = process.env['VIMANA_PROPERTY_SEED'] ?? String(randomInt(2 ** 31));

const { include = [], exclude = [] } = base.test ?? {};
const properties = globSync([...include], { exclude: [...exclude] }).filter((path) =>
  readFileSync(path, 'utf8').includes("from 'fast-check'"),
);

const printSeed = () =>
  void process.stdout.write(
    `\nproperty seed ${seed}; repeat with: VIMANA_PROPERTY_SEED=${seed} npm run test:properties\n`,
  );

/** The property tests of `npm test`, with a seed that differs in every run. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: properties,
      env: { VIMANA_PROPERTY_SEED: seed },
      reporters: [{ onTestRunStart: printSeed, onTestRunEnd: printSeed }],
    },
  }),
);
