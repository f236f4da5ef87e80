import { type Score, scaleToLargest } from '../framework/score.ts';

/** Prefers nodes that match the pod's preferred node affinity, by weight. */
export const nodeAffinityScore: Score = {
  name: 'NodeAffinity',
  prepare({ nodePreferences }, { nodes }, { slots, count }) {
    if (nodePreferences.length === 0) return undefined;
    return {
      raw(scores) {
        for (let i = 0; i < count; i++) {
          const node = nodes.nodeAt(slots[i] ?? 0);
          let sum = 0;
          for (const { weight, matches } of nodePreferences) if (node !== undefined && matches(node)) sum += weight;
          scores[i] = sum;
        }
      },
      normalize: (scores) => scaleToLargest(scores, count),
    };
  },
};
