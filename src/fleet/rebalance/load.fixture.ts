import fc from 'fast-check';
import { emptyLoad, type Load, METRICS } from './load.ts';

/** Four metrics of one node: usage and pressure of CPU, then of memory. */
export type Point = readonly [cu: number, cp: number, mu: number, mp: number];

export function loadOf(points: readonly Point[]): Load {
  const load = emptyLoad(points.length);
  points.forEach((point, node) => METRICS.forEach((metric, at) => void (load[metric][node] = point[at] ?? 0)));
  return load;
}

/** Generates metrics of any number of nodes, in hundredths, so that equal ones are common. */
export function points(): fc.Arbitrary<Point[]> {
  const share = (max: number) => fc.integer({ min: 0, max }).map((hundredths) => hundredths / 100);
  return fc.array(fc.tuple(share(150), share(100), share(100), share(100)), { maxLength: 12 });
}
