import { virtualMachineInstance } from '#api/kubevirt/group';
import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { Kind } from '#platform/schema/kind';

/** Permissions to read the usage of VMs from the metrics API. */
export const USAGE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list', 'watch'] },
];

/** Permissions of the VM controller for the kinds that it manages. */
export function vmRules(kinds: readonly Kind[]): readonly PolicyRule[] {
  return [
    ...kinds.flatMap(({ group, plural }) => [
      { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'update'] },
      { apiGroups: [group], resources: [`${plural}/status`], verbs: ['update', OPERATE] },
      // OwnerReferencesPermissionEnforcement requires this to set blockOwnerDeletion.
      { apiGroups: [group], resources: [`${plural}/finalizers`], verbs: ['update'] },
    ]),
    {
      apiGroups: [virtualMachineInstance.group],
      resources: [virtualMachineInstance.plural],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'delete', OPERATE],
    },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}
