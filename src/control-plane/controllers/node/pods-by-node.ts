import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';

/** Indexes pods by the node that they are bound to. */
export const byNode: Index<Pod> = {
  values: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};
