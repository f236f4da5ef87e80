import { mean } from './load.ts';

/** Tolerance for rounding, so that a score that is mathematically on the border is classified as on it. */
const TOLERANCE = 1e-9;

/** Distances below and above the mean score from which a node counts as under-utilized or over-utilized. */
export interface Mode {
  readonly id: string;
  readonly lower: number;
  readonly upper: number;
}

export const MODES: readonly Mode[] = [
  { id: 'Low', lower: 0.1, upper: 0.1 },
  { id: 'Medium', lower: 0.2, upper: 0.2 },
  { id: 'High', lower: 0.3, upper: 0.3 },
  { id: 'AsymmetricLow', lower: 0, upper: 0.1 },
  { id: 'AsymmetricMedium', lower: 0, upper: 0.2 },
  { id: 'AsymmetricHigh', lower: 0, upper: 0.3 },
];

export const DEFAULT_MODE = 'AsymmetricLow';

export type Bucket = 'under' | 'fair' | 'over';

/** Nodes classified by their scores. */
export interface Classification {
  readonly scores: Float64Array;
  readonly mean: number;
  readonly buckets: readonly Bucket[];
  /** Over-utilized nodes, highest score first. Equal ones keep their order. */
  readonly over: readonly number[];
  readonly under: readonly number[];
  /** Sum by which the scores of all over-utilized nodes exceed the border. */
  readonly excess: number;
}

/** Classifies nodes. One that would be both is under-utilized. */
export function classify(scores: Float64Array, { lower, upper }: Mode): Classification {
  const middle = mean(scores);
  const [low, high] = [middle - lower + TOLERANCE, middle + upper - TOLERANCE];
  const buckets: Bucket[] = [];
  const over: number[] = [];
  const under: number[] = [];
  let excess = 0;
  for (let node = 0; node < scores.length; node++) {
    const score = scores[node] as number;
    if (score <= low) {
      buckets.push('under');
      under.push(node);
    } else if (score >= high) {
      buckets.push('over');
      over.push(node);
      excess += score - high;
    } else buckets.push('fair');
  }
  over.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
  return { scores, mean: middle, buckets, over, under, excess };
}
