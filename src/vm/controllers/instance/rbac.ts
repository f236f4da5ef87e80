import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';

/** Permissions of the instance controller, including the watches it needs. */
export const INSTANCE_RULES: readonly PolicyRule[] = [
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachineinstances'],
    // Instances of users get a finalizer and addresses; the finalizer is removed from all.
    verbs: ['get', 'list', 'watch', 'update', 'patch', OPERATE],
  },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances/status'], verbs: ['update', OPERATE] },
  // Pods block the deletion of their instance.
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances/finalizers'], verbs: ['update'] },
  // The load of a simulated VM is written to its pod while it runs.
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['list', 'watch'] },
  // A lost node is marked as unschedulable.
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['policy'],
    resources: ['poddisruptionbudgets'],
    verbs: ['list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/**
 * Permissions to declare a node lost on its lease, so that the node notices. They are only needed in the namespace of
 * these leases.
 */
export const NODE_LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'patch'] },
];
