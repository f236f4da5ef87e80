import { type Filter, refusal } from '../framework/filter.ts';

const name = 'NodeAffinity';
const OTHER = refusal(name, "node(s) didn't match Pod's node affinity/selector", false);
const CONFLICT = refusal(name, 'pod affinity terms conflict', false);

/** The pod's nodeSelector and required node affinity. */
export const nodeAffinity: Filter = {
  name,
  prepare({ nodeDemand }, { nodes }) {
    if (nodeDemand === undefined) return undefined;
    const { names } = nodeDemand;
    if (names?.size === 0) return { refusal: CONFLICT };
    const check = (slot: number) => {
      const node = nodes.nodeAt(slot);
      return node !== undefined && nodeDemand.matchesAt(slot, node) ? undefined : OTHER;
    };
    return names === undefined ? { check } : { check, only: names };
  },
};
