import { type Filter, type FilterStatus, filterStatus } from '../framework/filter.ts';
import { podVolumeClaimsOf } from '../volumes/pod-volume-claims.ts';
import { findPodVolumes } from '../volumes/pod-volumes.ts';

const name = 'VolumeBinding';

/** The volumes of a pod's claims must be there on the node, or be possible there. */
export const volumeBinding: Filter = {
  name,
  prepare(pod, { storage, nodes }) {
    if (pod.claims.length === 0) return undefined;
    const claims = podVolumeClaimsOf(pod, storage);
    if (typeof claims === 'string') return { refusal: filterStatus(name, claims, false) };
    const refusals = new Map<string, FilterStatus>();
    return {
      check(slot) {
        const node = nodes.nodeAt(slot);
        const plan = node === undefined ? '' : findPodVolumes(claims, node, storage);
        if (typeof plan !== 'string') return undefined;
        let known = refusals.get(plan);
        if (known === undefined) {
          known = filterStatus(name, plan, false);
          refusals.set(plan, known);
        }
        return known;
      },
    };
  },
};
