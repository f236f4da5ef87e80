import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { VmResourceGroup } from './group.ts';

const read = ['list', 'watch'];

/** What it takes to give the machines of a group their claims and Services. */
export function vmResourceRules({
  vms,
  reads,
  hasService,
}: Pick<VmResourceGroup, 'vms' | 'reads' | 'hasService'>): readonly PolicyRule[] {
  return [
    ...[vms, ...reads].map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: read })),
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...read, 'create', 'update'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: read },
    ...(hasService ? [{ apiGroups: [''], resources: ['services'], verbs: [...read, 'create'] }] : []),
  ];
}

/** What it takes where machines may be copies of others. */
export const CLONED_RESOURCE_RULES: readonly PolicyRule[] = [
  { apiGroups: [vmOperation.group], resources: [vmSnapshot.plural, vmOperation.plural], verbs: read },
  // Whether a namespace lets operations of another copy its disks.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', ...read] },
];
