import { type Filter, filterStatus } from '../framework/filter.ts';

const name = 'NodeAffinity';
const OTHER = filterStatus(name, "node(s) didn't match Pod's node affinity/selector", false);
const CONFLICT = filterStatus(name, 'pod affinity terms conflict', false);

/** Filters nodes by the pod's nodeSelector and required node affinity. */
export const nodeAffinity: Filter = {
  name,
  prepare({ requiredNodeAffinity }, { nodes }) {
    if (requiredNodeAffinity === undefined) return undefined;
    const { names } = requiredNodeAffinity;
    if (names?.size === 0) return { refusal: CONFLICT };
    const check = (slot: number) => {
      const node = nodes.nodeAt(slot);
      return node !== undefined && requiredNodeAffinity.matchesAt(slot, node) ? undefined : OTHER;
    };
    return names === undefined ? { check } : { check, only: names };
  },
};
