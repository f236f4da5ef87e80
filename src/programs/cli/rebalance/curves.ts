import { type BenchmarkResult, nameOf, unevenness } from '#fleet/rebalance/benchmark';

/** Imbalance of a fleet before the first step and after each. */
export interface Curve {
  readonly name: string;
  readonly values: readonly number[];
}

/** More lines than these cannot be told apart. */
const MAX_CURVES = 8;

/** Returns the curves of the best results. Methods with identical results share one curve. */
export function curvesOf(results: readonly BenchmarkResult[]): readonly Curve[] {
  const found = new Map<string, { name: string; values: readonly number[]; others: number }>();
  for (const result of results) {
    const values = result.curve.map(unevenness);
    const key = values.join(' ');
    const same = found.get(key);
    if (same !== undefined) same.others++;
    else if (found.size < MAX_CURVES) found.set(key, { name: nameOf(result.method), values, others: 0 });
  }
  return [...found.values()].map(({ name, values, others }) => ({
    name: others === 0 ? name : `${name} and ${others} more`,
    values,
  }));
}

/** Returns the extent of the axes. */
export function extentOf(curves: readonly Curve[]): { readonly steps: number; readonly most: number } {
  return {
    steps: Math.max(1, ...curves.map(({ values }) => values.length - 1)),
    most: Math.max(1e-6, ...curves.flatMap(({ values }) => values)),
  };
}
