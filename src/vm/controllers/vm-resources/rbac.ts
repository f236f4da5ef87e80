import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { VmResourceGroup } from './group.ts';

const read = ['list', 'watch'];

/** Returns the permissions to manage the claims and Services of an API group's VMs. */
export function vmResourceRules({
  vms,
  reads,
  hasService,
}: Pick<VmResourceGroup, 'vms' | 'reads' | 'hasService'>): readonly PolicyRule[] {
  return [
    ...[vms, ...reads].map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: read })),
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...read, 'create', 'update'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: read },
    ...(hasService ? [{ apiGroups: [''], resources: ['services'], verbs: [...read, 'create', 'patch'] }] : []),
  ];
}

/** Permissions that are needed if VMs may be copies of others. */
export const CLONED_RESOURCE_RULES: readonly PolicyRule[] = [
  { apiGroups: [vmOperation.group], resources: [vmSnapshot.plural, vmOperation.plural], verbs: read },
  // A namespace may allow operations of another to copy its disks.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', ...read] },
];
