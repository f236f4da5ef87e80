import { mean } from './load.ts';

/** A score that lies on the border by hand does so by machine too. */
const TOLERANCE = 1e-9;

/** How far below and above the mean score a node counts as under-utilised and over-utilised. */
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

/** Nodes told apart by their scores. */
export interface Classification {
  readonly scores: Float64Array;
  readonly mean: number;
  readonly buckets: readonly Bucket[];
  /** The over-utilised, the highest score first; among equals, as they come. */
  readonly over: readonly number[];
  readonly under: readonly number[];
  /** By how much scores exceed the border, all over-utilised nodes together. */
  readonly excess: number;
}

/** Puts nodes into buckets; one that would be both is under-utilised. */
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
