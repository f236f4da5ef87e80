import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { NAMESPACES, SERVICES } from '#platform/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import type { Controller } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { ClaimErrors } from './claim-errors.ts';
import { ClaimWriter } from './claim-writer.ts';
import { copiesFor } from './clone.ts';
import type { OwnerVm, VmResourceGroup } from './group.ts';
import { claimWatch } from './indices.ts';
import { provideService } from './provide-service.ts';
import { ResourceEntry } from './resource-entry.ts';

/**
 * Reconciles the claims and the Service of the VMs of an API group. `operations` says whether operations, which may
 * create VMs as copies, are served; `onlyNamespace` is the only managed namespace, if set.
 */
export function vmResources<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  operations: boolean,
  refusals: ClaimErrors,
  onlyNamespace?: string,
): Controller<M> {
  const { vms } = group;
  const entries = new Map<string, ResourceEntry>();
  const claims = new ClaimWriter(group, { operations, onlyNamespace }, refusals);
  return {
    name: `virtualmachine-parts.${vms.group}`,
    for: vms,
    concurrency: 64,
    owns: group.hasService ? [SERVICES] : [],
    reads: [STORAGE_CLASSES, ...(operations ? [NAMESPACES, VM_SNAPSHOTS, OPERATIONS] : [])],
    watches: [claimWatch(group), ...group.watches],
    async reconcile(vm, context) {
      if (vm.metadata.deletionTimestamp !== undefined) return;
      const key = keyOf(vm);
      const entry = entries.get(key) ?? new ResourceEntry();
      entries.set(key, entry);
      const isCurrent = entry.claimWrites.isMet(context.cache(PERSISTENT_VOLUME_CLAIMS));
      const disks = isCurrent ? (group.disksOf(vm, context) ?? []) : [];
      const copies = copiesFor(group, vm, context, operations);
      await Promise.all([
        ...disks.map((disk) => claims.provide(vm, disk, copies, entry, context)),
        ...(group.hasService ? [provideService(group, vm, entry, context)] : []),
      ]);
    },
    forget(key) {
      entries.delete(key);
      refusals.forget(key);
    },
  };
}
