import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../kube/kinds/storage.ts';
import type { Gatherer } from '../../machine/gatherer.ts';
import { keyIn } from '../../runtime/key.ts';
import { claimSight } from './claim.ts';
import { claimWatch, classWatch } from './indices.ts';
import { disksOf, type Machine, TEMPLATES } from './resources.ts';

/** The claims behind the disks of machines, as they stand. */
export const claimsGatherer: Gatherer<'claims'> = {
  watches: [claimWatch, classWatch],
  reads: [TEMPLATES],
  gather(object, context) {
    const machine = object as Machine;
    const disks = disksOf(machine, context);
    if (disks === undefined) return undefined;
    const claims = context.cache(PERSISTENT_VOLUME_CLAIMS);
    const find = (name: string) => claims.get(keyIn(machine.metadata.namespace, name));
    return new Map(
      disks.map((disk) => {
        const source = disk.origin?.claim === undefined ? undefined : find(disk.origin.claim);
        const found = find(disk.claim);
        const storageClass = context.cache(STORAGE_CLASSES).get(found?.spec.storageClassName ?? '');
        return [disk.disk.name, claimSight(found, machine, disk, source, storageClass)];
      }),
    );
  },
};
