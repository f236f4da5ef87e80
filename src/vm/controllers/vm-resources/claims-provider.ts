import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import type { ClaimState } from '#vm/engine/vm-dependencies';
import type { ClaimErrors } from './claim-errors.ts';
import { claimState } from './claim-state.ts';
import { copiesFor, withoutOrigin } from './clone.ts';
import type { OwnerVm, VmResourceGroup } from './group.ts';
import { claimWatch, classWatch } from './indices.ts';

/** Provides the state of the claims behind the disks of VMs. `operations` says whether operations are served. */
export function claimsProvider<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  operations: boolean,
  refusals: ClaimErrors,
): DependencyProvider<'claims'> {
  return {
    watches: [claimWatch(group), classWatch(group)],
    reads: [...group.reads, ...(operations ? [OPERATIONS] : [])],
    provide(object, context) {
      const vm = object as unknown as M;
      const disks = group.disksOf(vm, context);
      if (disks === undefined) return undefined;
      const copies = copiesFor(group, vm, context, operations);
      const claims = context.cache(PERSISTENT_VOLUME_CLAIMS);
      const find = (name: string) => claims.get(keyIn(vm.metadata.namespace, name));
      return new Map(
        disks.map((each) => {
          const disk = withoutOrigin(each, copies);
          const source = disk.origin?.claim === undefined ? undefined : find(disk.origin.claim);
          const found = find(disk.claim);
          const storageClass = context.cache(STORAGE_CLASSES).get(found?.spec.storageClassName ?? '');
          const view = claimState(group, found, vm, disk, source, storageClass);
          const refusal = found === undefined ? refusals.of(keyOf(vm), disk.claim, context.enqueue) : undefined;
          return [disk.disk.name, refusal === undefined ? view : rejectedClaim(view, refusal)];
        }),
      );
    },
  };
}

function rejectedClaim(view: ClaimState, words: string): ClaimState {
  if (view.reason !== undefined) return view;
  return { ...view, reason: 'ClaimRefused', message: `PersistentVolumeClaim ${view.name} was rejected: ${words}` };
}
