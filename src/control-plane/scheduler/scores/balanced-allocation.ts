import { MAX_SCORE, type Score } from '../framework/score.ts';
import { CPU_AND_MEMORY, figuresOf, type ResourceFigures, type WeightedResource } from './resource-figures.ts';

/** Prefers nodes whose resources are used evenly, or become so with the pod. */
export function balancedAllocationScore(resources: readonly WeightedResource[] = CPU_AND_MEMORY): Score {
  return {
    name: 'NodeResourcesBalancedAllocation',
    prepare(pod, { nodes }, { slots, count }) {
      const figures = figuresOf(pod, nodes, resources, false);
      // A pod without requests changes no balance.
      if (figures.every(({ requested }) => requested === 0)) return undefined;
      const [first, second] = figures;
      if (figures.length === 2 && first !== undefined && second !== undefined) {
        return { raw: (scores) => scoreTwo(first, second, slots, count, scores) };
      }
      return {
        raw(scores) {
          for (let i = 0; i < count; i++) {
            const slot = slots[i] ?? 0;
            scores[i] = improvement(balance(figures, slot, true), balance(figures, slot, false));
          }
        },
      };
    },
  };
}

const improvement = (after: number, before: number): number => 50 + Math.trunc((50 + after - before) / 2);

/** Handles the common case of CPU and memory quickly, since it runs for many nodes. */
function scoreTwo(
  first: ResourceFigures,
  second: ResourceFigures,
  slots: Int32Array,
  count: number,
  scores: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    const slot = slots[i] ?? 0;
    const after = nearness(partOf(first, slot, true), partOf(second, slot, true));
    const before = nearness(partOf(first, slot, false), partOf(second, slot, false));
    scores[i] = improvement(after, before);
  }
}

/** Returns the balance of two fractions. A resource that the node lacks is balanced with everything. */
function nearness(first: number, second: number): number {
  return first < 0 || second < 0 ? MAX_SCORE : Math.trunc((1 - Math.abs((first - second) / 2)) * MAX_SCORE);
}

/** Returns 100 if all resources are used to the same fraction, less the further apart they are. */
function balance(figures: readonly ResourceFigures[], slot: number, withPod: boolean): number {
  let parts = 0;
  let sum = 0;
  let first = 0;
  let second = 0;
  for (const figure of figures) {
    const part = partOf(figure, slot, withPod);
    if (part < 0) continue;
    if (parts === 0) first = part;
    else second = part;
    sum += part;
    parts++;
  }
  if (parts < 2) return MAX_SCORE;
  if (parts === 2) return nearness(first, second);
  const mean = sum / parts;
  let squares = 0;
  for (const figure of figures) {
    const part = partOf(figure, slot, withPod);
    if (part >= 0) squares += (part - mean) * (part - mean);
  }
  return Math.trunc((1 - Math.sqrt(squares / parts)) * MAX_SCORE);
}

/** Returns the used fraction of a resource, up to 1, or -1 if the node has none of it. */
function partOf({ allocatable, used, requested }: ResourceFigures, slot: number, withPod: boolean): number {
  const has = allocatable[slot] ?? 0;
  if (has === 0) return -1;
  const part = ((used[slot] ?? 0) + (withPod ? requested : 0)) / has;
  return part > 1 ? 1 : part;
}
