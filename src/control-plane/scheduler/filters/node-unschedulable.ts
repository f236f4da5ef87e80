import { tolerates } from '#platform/kube/kinds/node';
import { type Filter, filterStatus } from '../framework/filter.ts';

const name = 'NodeUnschedulable';
const UNSCHEDULABLE = filterStatus(name, 'node(s) were unschedulable', false);
const TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Rejects cordoned nodes unless the pod tolerates it. */
export const nodeUnschedulable: Filter = {
  name,
  prepare(pod, { nodes }) {
    if (pod.tolerations.some((toleration) => tolerates(toleration, TAINT))) return undefined;
    const { cordoned } = nodes.columns;
    return { check: (slot) => (cordoned[slot] === 1 ? UNSCHEDULABLE : undefined) };
  },
};
