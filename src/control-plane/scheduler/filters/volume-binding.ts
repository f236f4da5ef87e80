import { type Filter, type FilterStatus, filterStatus } from '../framework/filter.ts';
import { podVolumeClaimsOf } from '../volumes/pod-volume-claims.ts';
import { findPodVolumes } from '../volumes/pod-volumes.ts';

const name = 'VolumeBinding';

/** Rejects nodes on which the volumes of the pod's claims are unreachable and cannot be provided. */
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
