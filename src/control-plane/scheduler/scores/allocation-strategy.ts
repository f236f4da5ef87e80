import { MAX_SCORE } from '../framework/score.ts';

/** A point of the function from utilization in percent to a score of 0..10. */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** Scores one resource of a node. `taken` includes the pod. */
export type ResourceScore = (taken: number, allocatable: number) => number;

/** Prefers nodes with less allocated. */
export const leastAllocated: ResourceScore = (taken, allocatable) =>
  taken > allocatable ? 0 : Math.floor(((allocatable - taken) * MAX_SCORE) / allocatable);

/** Prefers nodes with more allocated. */
export const mostAllocated: ResourceScore = (taken, allocatable) =>
  Math.floor((Math.min(taken, allocatable) * MAX_SCORE) / allocatable);

/** Points have scores up to 10, which this factor scales to 100. */
const SHAPE_SCALE = 10;

/** Interpolates linearly between the points. */
export function requestedToCapacityRatio(shape: readonly ShapePoint[]): ResourceScore {
  const points = shape.map(({ utilization, score }) => ({ at: utilization, score: score * SHAPE_SCALE }));
  return (taken, allocatable) => {
    const full = taken > allocatable ? 100 : Math.floor((taken * 100) / allocatable);
    for (let i = 0; i < points.length; i++) {
      const point = points[i] as (typeof points)[number];
      if (full > point.at) continue;
      const before = points[i - 1];
      if (before === undefined) return point.score;
      return before.score + Math.trunc(((point.score - before.score) * (full - before.at)) / (point.at - before.at));
    }
    return points.at(-1)?.score ?? 0;
  };
}
