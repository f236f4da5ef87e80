/**
 * Metrics of nodes, as one column per metric with one entry per node. CPU usage may exceed 1 if demand exceeds
 * capacity; everything else is within 0..1.
 */
export interface Load {
  readonly size: number;
  readonly cpuUsage: Float64Array;
  readonly cpuPressure: Float64Array;
  readonly memoryUsage: Float64Array;
  readonly memoryPressure: Float64Array;
}

/** Metrics in the order in which formulas name them. */
export const METRICS = ['cpuUsage', 'cpuPressure', 'memoryUsage', 'memoryPressure'] as const;

/** Creates a load of zeros to fill. */
export function emptyLoad(size: number): Load {
  return {
    size,
    cpuUsage: new Float64Array(size),
    cpuPressure: new Float64Array(size),
    memoryUsage: new Float64Array(size),
    memoryPressure: new Float64Array(size),
  };
}

/** Returns the mean of numbers, or 0 if there are none. */
export function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}

/** Returns the standard deviation of the population, not of a sample. */
export function deviation(values: Float64Array): number {
  const middle = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return values.length === 0 ? 0 : Math.sqrt(sum / values.length);
}

/** Returns the largest of non-negative numbers, or 0 if there are none. */
export function largest(values: Float64Array): number {
  let found = 0;
  for (const value of values) if (value > found) found = value;
  return found;
}
