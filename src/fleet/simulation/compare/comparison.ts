import { roundTo6 } from '../report/sample.ts';
import type { RunSummary } from '../report/summary.ts';
import { FIGURES } from './figures.ts';
import { CONFIDENCE, type PairedDifference, pairedDifference } from './paired-difference.ts';

/** Summaries of one method, one for each seed in the same order. */
export interface MethodRuns {
  readonly method: string;
  readonly runs: readonly RunSummary[];
}

/** One figure of one method. Without a difference, it is the method that others are compared with. */
export interface ComparedResult {
  readonly method: string;
  readonly figure: string;
  readonly mean: number;
  readonly difference?: PairedDifference;
}

export interface Comparison {
  readonly scenario: string;
  readonly seeds: readonly string[];
  readonly methods: readonly string[];
  readonly confidence: number;
  /** Method by which the intervals were computed. */
  readonly interval: string;
  readonly results: readonly ComparedResult[];
}

/** Compares every method with the first one, figure by figure. */
export function comparisonOf(scenario: string, seeds: readonly string[], all: readonly MethodRuns[]): Comparison {
  const [base] = all;
  const results = FIGURES.flatMap(({ name, of }) =>
    all.map(({ method, runs }): ComparedResult => {
      const values = runs.map(of);
      const mean = roundTo6(values.reduce((sum, value) => sum + value, 0) / values.length);
      const found = { method, figure: name, mean };
      if (base === undefined || method === base.method) return found;
      return { ...found, difference: pairedDifference(base.runs.map(of), values) };
    }),
  );
  return {
    scenario,
    seeds,
    methods: all.map(({ method }) => method),
    confidence: CONFIDENCE,
    interval: `Student's t interval of the mean difference to ${base?.method ?? ''}, paired by seed`,
    results,
  };
}
