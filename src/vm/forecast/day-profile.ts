import { DAY_STEPS, isWeekend, type TimeSeries, WEEK_STEPS } from './model.ts';

/** Half of the window over which a profile is smoothed. */
const SMOOTHING = 4;

/** Trend and course of a day that a series has in common with itself on other days. */
export interface DayProfile {
  /** Returns the expected value at a position of the series, also beyond its end. */
  at(index: number): number;
}

/**
 * Estimates a linear trend from the changes between days, and the course of a day as the median over days, so that spikes
 * do not count. With less than two days, it is the average of the last hour.
 */
export function dayProfile({ values, first }: TimeSeries): DayProfile {
  const days = Math.floor(values.length / DAY_STEPS);
  if (days < 2) {
    const recent = values.slice(-12);
    const level = recent.reduce((sum, value) => sum + value, 0) / Math.max(1, recent.length);
    return { at: () => level };
  }
  // Within a week there are two days of each kind, so that weekends can differ.
  const hasWeek = values.length >= WEEK_STEPS;
  const isFree = (index: number) => hasWeek && isWeekend(first + index);
  const slope = slopeOf(values, days, isFree);
  const courseOf = (free: boolean) => {
    const offsets = Array.from({ length: DAY_STEPS }, () => [] as number[]);
    for (const [i, value] of values.entries()) {
      if (isFree(i) === free) offsets[(first + i) % DAY_STEPS]?.push(value - slope * i);
    }
    return smooth(offsets.map(median));
  };
  const [working, free] = [courseOf(false), hasWeek ? courseOf(true) : []];
  return { at: (index) => slope * index + ((isFree(index) ? free : working)[(first + index) % DAY_STEPS] ?? 0) };
}

/** Returns the change per step, as the median change from a day to the next of the same kind. Two days are too few. */
function slopeOf(values: readonly number[], days: number, isFree: (index: number) => boolean): number {
  if (days < 3) return 0;
  const changes: number[] = [];
  for (let i = DAY_STEPS; i < values.length; i++) {
    if (isFree(i) === isFree(i - DAY_STEPS)) changes.push((values[i] ?? 0) - (values[i - DAY_STEPS] ?? 0));
  }
  return median(changes) / DAY_STEPS;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

function smooth(course: readonly number[]): number[] {
  return course.map((_, i) => {
    let sum = 0;
    for (let k = -SMOOTHING; k <= SMOOTHING; k++) sum += course[(i + k + DAY_STEPS) % DAY_STEPS] ?? 0;
    return sum / (2 * SMOOTHING + 1);
  });
}
