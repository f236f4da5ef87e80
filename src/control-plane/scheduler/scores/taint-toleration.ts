import { type Taint, tolerates } from '#platform/kube/kinds/node';
import type { Toleration } from '#platform/kube/kinds/pod';
import { type Score, scaleToLargest } from '../framework/score.ts';

/** Prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. */
export const taintTolerationScore: Score = {
  name: 'TaintToleration',
  prepare({ tolerations }, { nodes }, { slots, count }) {
    const { ofSlot, sets } = nodes.taints;
    const relevant = tolerations.filter(({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule');
    const unwelcome = sets.map((taints) => intolerableTaints(taints, relevant));
    return {
      raw(scores) {
        for (let i = 0; i < count; i++) scores[i] = unwelcome[ofSlot[slots[i] ?? 0] ?? 0] ?? 0;
      },
      normalize: (scores) => scaleToLargest(scores, count, true),
    };
  },
};

function intolerableTaints(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  return taints.filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
  ).length;
}
