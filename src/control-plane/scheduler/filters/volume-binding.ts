import { type Filter, type Refusal, refusal } from '../framework/filter.ts';
import { podClaimsOf } from '../volumes/pod-claims.ts';
import { planVolumes } from '../volumes/volume-plan.ts';

const name = 'VolumeBinding';

/** The volumes of a pod's claims must be there on the node, or be possible there. */
export const volumeBinding: Filter = {
  name,
  prepare(pod, { storage, nodes }) {
    if (pod.claims.length === 0) return undefined;
    const claims = podClaimsOf(pod, storage);
    if (typeof claims === 'string') return { refusal: refusal(name, claims, false) };
    const refusals = new Map<string, Refusal>();
    return {
      check(slot) {
        const node = nodes.nodeAt(slot);
        const plan = node === undefined ? '' : planVolumes(claims, node, storage);
        if (typeof plan !== 'string') return undefined;
        let known = refusals.get(plan);
        if (known === undefined) {
          known = refusal(name, plan, false);
          refusals.set(plan, known);
        }
        return known;
      },
    };
  },
};
