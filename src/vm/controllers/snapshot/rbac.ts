import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { Kind } from '#platform/schema/kind';

/** What the controllers of snapshots and of copied disks may do. */
export function snapshotRules(vms: readonly Kind[]): readonly PolicyRule[] {
  const { group, plural } = vmSnapshot;
  return [
    { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'update', 'delete'] },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['update', OPERATE] },
    // Where owners are protected, whoever blocks their deletion must be able to.
    { apiGroups: [group], resources: [`${plural}/finalizers`], verbs: ['update'] },
    // The answer to a restore stands on the machine.
    ...vms.map((kind) => ({
      apiGroups: [kind.group],
      resources: [kind.plural],
      verbs: ['list', 'watch', 'patch'],
    })),
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
    // What a claim may be a copy of.
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
    // Which driver a volume is of, and how that is asked to capture it. What is restored keeps its former volume for so long.
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'patch'] },
    { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotclasses'], verbs: ['list'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}
