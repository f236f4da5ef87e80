import { roundTo6 } from '../report/sample.ts';
import { criticalT } from './student-t.ts';

export const CONFIDENCE = 0.95;

/** Difference between two methods on the same seeds, with its confidence interval. */
export interface PairedDifference {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Set if the interval does not contain 0. */
  readonly significant: boolean;
}

/**
 * Compares two samples pair by pair: the mean of the differences, and the interval of Student's t distribution around it.
 * Pairs share a seed, so that what the seed alone causes cancels out.
 */
export function pairedDifference(first: readonly number[], second: readonly number[]): PairedDifference {
  const differences = first.map((value, at) => (second[at] ?? 0) - value);
  const count = differences.length;
  const mean = differences.reduce((sum, each) => sum + each, 0) / count;
  const squares = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const error = Math.sqrt(squares / (count - 1) / count);
  const margin = error === 0 ? 0 : criticalT(1 - CONFIDENCE, count - 1) * error;
  const [low, high] = [roundTo6(mean - margin), roundTo6(mean + margin)];
  return { mean: roundTo6(mean), low, high, significant: low > 0 || high < 0 };
}
