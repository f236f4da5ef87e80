import { vmOperation } from '#api/hypersdk/vm-operation';
import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { Kind } from '#platform/schema/kind';

const kubevirt = (resources: string[], verbs: string[]): PolicyRule => ({
  apiGroups: ['kubevirt.io'],
  resources,
  verbs,
});

/** Returns the permissions of the operation controller for VMs of these kinds. */
export function operationRules(kinds: readonly Kind[]): readonly PolicyRule[] {
  const { group, plural } = vmOperation;
  return [
    { apiGroups: [group], resources: [plural], verbs: ['list', 'watch', 'update', 'delete'] },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['update', OPERATE] },
    ...kinds.flatMap(operandRules),
    kubevirt(['virtualmachineinstances'], ['list', 'watch', 'patch', OPERATE]),
    kubevirt(['virtualmachineinstancemigrations'], ['get', 'list', 'watch', 'create', 'delete']),
    { apiGroups: [group], resources: ['vmsnapshots'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'watch', 'create'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list', 'watch'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list', 'watch'] },
    { apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}

/** Returns the permissions that operations on VMs of a kind need. */
export function operandRules({ group, plural }: Kind): readonly PolicyRule[] {
  return [
    { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['patch', OPERATE] },
    // Claims of a clone block its deletion.
    { apiGroups: [group], resources: [`${plural}/finalizers`], verbs: ['update'] },
  ];
}
