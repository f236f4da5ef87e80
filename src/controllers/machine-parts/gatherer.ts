import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../kube/kinds/storage.ts';
import type { Gatherer } from '../../machine/gatherer.ts';
import { keyIn } from '../../runtime/key.ts';
import { claimSight } from './claim-sight.ts';
import type { Machine, PartsGroup } from './group.ts';
import { claimWatch, classWatch } from './indices.ts';

/** The claims behind the disks of machines, as they stand. */
export function claimsGatherer<M extends Machine>(group: PartsGroup<M>): Gatherer<'claims'> {
  return {
    watches: [claimWatch(group), classWatch(group)],
    reads: group.reads,
    gather(object, context) {
      const machine = object as unknown as M;
      const disks = group.disksOf(machine, context);
      if (disks === undefined) return undefined;
      const claims = context.cache(PERSISTENT_VOLUME_CLAIMS);
      const find = (name: string) => claims.get(keyIn(machine.metadata.namespace, name));
      return new Map(
        disks.map((disk) => {
          const source = disk.origin?.claim === undefined ? undefined : find(disk.origin.claim);
          const found = find(disk.claim);
          const storageClass = context.cache(STORAGE_CLASSES).get(found?.spec.storageClassName ?? '');
          return [disk.disk.name, claimSight(group, found, machine, disk, source, storageClass)];
        }),
      );
    },
  };
}
