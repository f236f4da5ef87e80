/**
 * What nodes measure, one column a metric and one place a node. The usage of CPU may exceed 1, where more is asked for
 * than there is; everything else lies in 0..1.
 */
export interface Load {
  readonly size: number;
  readonly cpuUsage: Float64Array;
  readonly cpuPressure: Float64Array;
  readonly memoryUsage: Float64Array;
  readonly memoryPressure: Float64Array;
}

/** The metrics in the order in which formulas name them. */
export const METRICS = ['cpuUsage', 'cpuPressure', 'memoryUsage', 'memoryPressure'] as const;

/** A load of nothing, to be filled. */
export function emptyLoad(size: number): Load {
  return {
    size,
    cpuUsage: new Float64Array(size),
    cpuPressure: new Float64Array(size),
    memoryUsage: new Float64Array(size),
    memoryPressure: new Float64Array(size),
  };
}

/** The mean of numbers; 0 of none. */
export function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}

/** How far numbers lie apart: the standard deviation of all of them, not of a sample. */
export function deviation(values: Float64Array): number {
  const middle = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return values.length === 0 ? 0 : Math.sqrt(sum / values.length);
}

/** The largest of numbers that are not negative; 0 of none. */
export function largest(values: Float64Array): number {
  let found = 0;
  for (const value of values) if (value > found) found = value;
  return found;
}
