import { KINDS } from '#api/kinds';
import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';

/** Minimal permissions of node agents and of the fleets that they manage. */
export const NODE_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['nodes/status'], verbs: ['update'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['pods/status'], verbs: ['update'] },
  // The content of a simulated disk is stored with its claim.
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: ['hypersdk.io'], resources: ['vmsnapshots'], verbs: ['list', 'watch'] },
  // Shows whether a VM requests a restore, which disks it owns, and whether its namespace lets others act on it.
  {
    apiGroups: [...new Set(KINDS.flatMap(({ group, kind }) => (kind === 'VirtualMachine' ? [group] : [])))],
    resources: ['virtualmachines'],
    verbs: ['get'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: ['hypersdk.io'], resources: ['vmsnapshots/status'], verbs: ['update', OPERATE] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'patch'] },
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachineinstances'],
    verbs: ['get', 'list', 'watch', 'update'],
  },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances/status'], verbs: ['update', 'patch', OPERATE] },
];

/** Permissions of the provisioner for the simulated storage classes. */
export const PROVISIONER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims/status'], verbs: ['update'] },
  { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'] },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get', 'list', 'watch', 'create'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
