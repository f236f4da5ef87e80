import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { systemRandom } from '#platform/base/random';

const AREAS = ['api', 'platform', 'control-plane', 'vm', 'fleet', 'programs'];

// Every run draws other mutants. The seed in the output reproduces them.
it.each(AREAS)('tests kill at least 90 %% of the mutants with an effect in src/%s', async (area) => {
  const seed = process.env['VIMANA_MUTATION_SEED'] ?? systemRandom().hex(8);
  const args = ['tools/mutate/main.ts', `src/${area}`, '--seed', seed, '--count', '150'];
  const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')) as [number];
  expect(code, `repeat with: npm run mutate -- src/${area} --seed ${seed} --count 150`).toBe(0);
});
