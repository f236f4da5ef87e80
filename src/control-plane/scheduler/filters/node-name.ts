import { type Filter, filterStatus } from '../framework/filter.ts';

const name = 'NodeName';
const OTHER = filterStatus(name, "node(s) didn't match the requested node name", false);

/** A pod that names its node goes nowhere else. */
export const nodeName: Filter = {
  name,
  prepare({ pod }, { nodes }) {
    const wanted = pod.spec.nodeName ?? '';
    if (wanted === '') return undefined;
    return { check: (slot) => (nodes.nameAt(slot) === wanted ? undefined : OTHER) };
  },
};
