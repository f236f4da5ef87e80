import type { Pod } from '../../../kube/kinds/pod.ts';
import type { Index } from '../../../runtime/cache.ts';

/** Pods by the node that they are bound to. */
export const byNode: Index<Pod> = {
  values: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};
