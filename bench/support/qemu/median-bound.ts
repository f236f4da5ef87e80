/** Returns the median of values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
}

/**
 * Returns a value that the median of the population does not exceed with 95 % confidence: the first order statistic
 * below which at least that part of the samples of this size has its median. It assumes no distribution.
 */
export function medianBound(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  let term = 0.5 ** count;
  let below = term;
  for (let rank = 1; rank < count; rank++) {
    if (below >= 0.95) return at(sorted, rank - 1);
    term *= (count - rank + 1) / rank;
    below += term;
  }
  return at(sorted, count - 1);
}

const at = (sorted: readonly number[], index: number) => sorted[index] ?? Number.NaN;
