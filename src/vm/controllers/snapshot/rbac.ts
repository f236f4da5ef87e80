import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { Kind } from '#platform/schema/kind';

/** Returns the permissions of the controllers for snapshots and copied disks. */
export function snapshotRules(vms: readonly Kind[]): readonly PolicyRule[] {
  const { group, plural } = vmSnapshot;
  return [
    { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'update', 'delete'] },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['update', OPERATE] },
    // With OwnerReferencesPermissionEnforcement, blocking the deletion of an owner requires this permission.
    { apiGroups: [group], resources: [`${plural}/finalizers`], verbs: ['update'] },
    // The response to a restore request is written to the VM.
    ...vms.map((kind) => ({
      apiGroups: [kind.group],
      resources: [kind.plural],
      verbs: ['list', 'watch', 'patch'],
    })),
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
    // Claims may be copies that operations created.
    { apiGroups: [group], resources: [vmOperation.plural], verbs: ['list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['persistentvolumeclaims'],
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list', 'watch'] },
    {
      apiGroups: ['snapshot.storage.k8s.io'],
      resources: ['volumesnapshots'],
      verbs: ['get', 'list', 'watch', 'create', 'delete'],
    },
    // Volumes are read for their driver and its snapshot class. During a restore the former volume is retained.
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'patch'] },
    { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotclasses'], verbs: ['list'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}
