import { roundTo6 } from './sample.ts';

/** Percentiles of some values. All are 0 if there are none. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

const STEP = 1e-3;

/**
 * Counts values, and finds the smallest one that a part of all does not exceed (nearest rank). Values are rounded to
 * thousandths, so that a run of any length needs the same memory.
 */
export class Distribution {
  readonly #counts = new Map<number, number>();
  #size = 0;

  add(value: number): void {
    const bin = Math.round(value / STEP);
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + 1);
    this.#size++;
  }

  percentiles(): Percentiles {
    const bins = [...this.#counts].sort(([a], [b]) => a - b);
    const at = (part: number): number => {
      let left = Math.max(1, Math.ceil(part * this.#size));
      for (const [bin, count] of bins) {
        left -= count;
        if (left <= 0) return roundTo6(bin * STEP);
      }
      return 0;
    };
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
  }
}

/** Returns the percentiles of values. */
export function percentilesOf(values: Iterable<number>): Percentiles {
  const found = new Distribution();
  for (const value of values) found.add(value);
  return found.percentiles();
}
