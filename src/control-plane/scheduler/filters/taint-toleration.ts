import { type Taint, tolerates } from '#platform/kube/kinds/node';
import type { Toleration } from '#platform/kube/kinds/pod';
import { type Filter, filterStatus } from '../framework/filter.ts';

const name = 'TaintToleration';
const UNTOLERATED = filterStatus(name, 'node(s) had untolerated taint(s)', false);

/** Rejects nodes with taints against scheduling that the pod does not tolerate. */
export const taintToleration: Filter = {
  name,
  prepare({ tolerations }, { nodes: { taints } }) {
    const { ofSlot, sets } = taints;
    if (sets.length === 1) return undefined;
    // 0: not checked yet, 1: tolerated, 2: not tolerated.
    const known = new Uint8Array(sets.length);
    return {
      check(slot) {
        const set = ofSlot[slot] ?? 0;
        if (set === 0) return undefined;
        if (known[set] === 0) known[set] = isTolerated(sets[set] ?? [], tolerations) ? 1 : 2;
        return known[set] === 1 ? undefined : UNTOLERATED;
      },
    };
  },
};

/** Reports whether the tolerations allow scheduling to a node with these taints. */
export function isTolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): boolean {
  return taints.every(
    (taint) => taint.effect === 'PreferNoSchedule' || tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
