import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';

/** What the instance controller may do; watching what it reads included. */
export const INSTANCE_RULES: readonly PolicyRule[] = [
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachineinstances'],
    // Instances of users are given a finalizer and addresses; the finalizer is taken off all.
    verbs: ['get', 'list', 'watch', 'update', 'patch', OPERATE],
  },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances/status'], verbs: ['update', OPERATE] },
  // Pods that block the deletion of their instance.
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances/finalizers'], verbs: ['update'] },
  // What a simulated machine uses is told to its pod while it runs.
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['list', 'watch'] },
  // A node that is lost is taken out of use.
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['policy'],
    resources: ['poddisruptionbudgets'],
    verbs: ['list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** That a node is lost is written on its lease, so that it finds out. Needed in the namespace of these leases alone. */
export const NODE_LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'patch'] },
];
