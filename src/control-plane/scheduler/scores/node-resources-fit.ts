import type { Score } from '../framework/score.ts';
import {
  leastAllocated,
  mostAllocated,
  type ResourceScore,
  requestedToCapacityRatio,
  type ShapePoint,
} from './allocation-strategy.ts';
import { CPU_AND_MEMORY, figuresOf, type WeightedResource } from './resource-figures.ts';

export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources: readonly WeightedResource[];
  /** Shape for RequestedToCapacityRatio. */
  readonly shape: readonly ShapePoint[];
}

export const LEAST_ALLOCATED: ScoringStrategy = { type: 'LeastAllocated', resources: CPU_AND_MEMORY, shape: [] };

/** Scores nodes by the utilization that they would have: lower or higher is better, or as a shape defines. */
export function nodeResourcesFitScore({ type, resources, shape }: ScoringStrategy = LEAST_ALLOCATED): Score {
  const byRatio = type === 'RequestedToCapacityRatio';
  const score: ResourceScore = byRatio
    ? requestedToCapacityRatio(shape)
    : type === 'MostAllocated'
      ? mostAllocated
      : leastAllocated;
  return {
    name: 'NodeResourcesFit',
    prepare(pod, { nodes }, { slots, count }) {
      const figures = figuresOf(pod, nodes, resources, true);
      return {
        raw(scores) {
          const weights = new Float64Array(count);
          scores.fill(0, 0, count);
          for (const { weight, allocatable, used, requested } of figures) {
            for (let i = 0; i < count; i++) {
              const slot = slots[i] ?? 0;
              const has = allocatable[slot] ?? 0;
              if (has === 0) continue;
              const one = score((used[slot] ?? 0) + requested, has);
              // A resource whose shape score is not positive is left out of the mean.
              if (byRatio && one <= 0) continue;
              scores[i] = (scores[i] ?? 0) + one * weight;
              weights[i] = (weights[i] ?? 0) + weight;
            }
          }
          for (let i = 0; i < count; i++) {
            const weight = weights[i] ?? 0;
            const mean = weight === 0 ? 0 : (scores[i] ?? 0) / weight;
            scores[i] = byRatio ? Math.round(mean) : Math.floor(mean);
          }
        },
      };
    },
  };
}
