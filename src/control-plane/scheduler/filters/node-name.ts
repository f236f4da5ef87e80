import { type Filter, filterStatus } from '../framework/filter.ts';

const name = 'NodeName';
const OTHER = filterStatus(name, "node(s) didn't match the requested node name", false);

/** Rejects all nodes but the one that the pod names. */
export const nodeName: Filter = {
  name,
  prepare({ pod }, { nodes }) {
    const desired = pod.spec.nodeName ?? '';
    if (desired === '') return undefined;
    return { check: (slot) => (nodes.nameAt(slot) === desired ? undefined : OTHER) };
  },
};
