import { seededRandom } from '#platform/base/random';
import type { Mutant } from './mutants.ts';

/** Draws mutants without repetition. The same seed draws the same ones from the same code. They keep their order. */
export function sampleMutants(mutants: readonly Mutant[], seed: string, count: number): Mutant[] {
  const drawn = new Set(seededRandom(seed).shuffle(mutants).slice(0, count));
  return mutants.filter((mutant) => drawn.has(mutant));
}
