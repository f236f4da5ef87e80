import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import type { ClaimState } from '#vm/engine/vm-dependencies';
import type { ClaimRefusals } from './claim-refusals.ts';
import { claimSight } from './claim-sight.ts';
import { asCloned, copiesFor } from './clone.ts';
import type { Machine, PartsGroup } from './group.ts';
import { claimWatch, classWatch } from './indices.ts';

/** The claims behind the disks of machines, as they stand. `operations`: whether there are any. */
export function claimsGatherer<M extends Machine>(
  group: PartsGroup<M>,
  operations: boolean,
  refusals: ClaimRefusals,
): DependencyProvider<'claims'> {
  return {
    watches: [claimWatch(group), classWatch(group)],
    reads: [...group.reads, ...(operations ? [OPERATIONS] : [])],
    provide(object, context) {
      const machine = object as unknown as M;
      const disks = group.disksOf(machine, context);
      if (disks === undefined) return undefined;
      const copies = copiesFor(group, machine, context, operations);
      const claims = context.cache(PERSISTENT_VOLUME_CLAIMS);
      const find = (name: string) => claims.get(keyIn(machine.metadata.namespace, name));
      return new Map(
        disks.map((each) => {
          const disk = asCloned(each, copies);
          const source = disk.origin?.claim === undefined ? undefined : find(disk.origin.claim);
          const found = find(disk.claim);
          const storageClass = context.cache(STORAGE_CLASSES).get(found?.spec.storageClassName ?? '');
          const sight = claimSight(group, found, machine, disk, source, storageClass);
          const refusal = found === undefined ? refusals.of(keyOf(machine), disk.claim, context.enqueue) : undefined;
          return [disk.disk.name, refusal === undefined ? sight : refused(sight, refusal)];
        }),
      );
    },
  };
}

function refused(sight: ClaimState, words: string): ClaimState {
  if (sight.reason !== undefined) return sight;
  return { ...sight, reason: 'ClaimRefused', message: `PersistentVolumeClaim ${sight.name} is refused: ${words}` };
}
