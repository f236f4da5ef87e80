import type { Volume } from '#platform/kube/kinds/pod';
import { type Filter, filterStatus } from '../framework/filter.ts';

const name = 'VolumeRestrictions';
const IN_USE = filterStatus(name, 'node(s) had no available disk', true);
const OF_ANOTHER = filterStatus(
  name,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  true,
);
/**
 * Volume types of which two pods on one node cannot use the same volume. With `readers` they can, if both only read.
 */
const EXCLUSIVE: readonly { readonly field: string; readonly ids: readonly string[]; readonly readers: boolean }[] = [
  { field: 'gcePersistentDisk', ids: ['pdName'], readers: true },
  { field: 'awsElasticBlockStore', ids: ['volumeID'], readers: false },
  { field: 'iscsi', ids: ['iqn'], readers: true },
  { field: 'rbd', ids: ['pool', 'image'], readers: true },
];

interface Disk {
  readonly id: string;
  readonly shareable: boolean;
}

/** Rejects nodes where another pod uses a disk that only one pod can use. */
export const volumeRestrictions: Filter = {
  name,
  prepare({ volumes, claims }, { storage, nodes }) {
    const disks = disksOf(volumes);
    const alone = claims.filter(({ key }) => storage.claim(key)?.spec.accessModes?.includes('ReadWriteOncePod'));
    if (disks.length === 0 && alone.length === 0) return undefined;
    let users = 0;
    for (const { key } of alone) users += nodes.claimUsers.of(key);
    return {
      check(slot) {
        if (users > 0) return OF_ANOTHER;
        if (disks.length === 0) return undefined;
        for (const other of nodes.podsAt(slot).values()) {
          const taken = disksOf(other.volumes);
          if (taken.some((disk) => disks.some((own) => own.id === disk.id && !(own.shareable && disk.shareable)))) {
            return IN_USE;
          }
        }
        return undefined;
      },
      supposed(_slot, other, by) {
        for (const { key } of other.claims) if (alone.some((own) => own.key === key)) users += by;
      },
    };
  },
};

function disksOf(volumes: readonly Volume[]): readonly Disk[] {
  return volumes.flatMap((volume) =>
    EXCLUSIVE.flatMap(({ field, ids, readers }) => {
      const source = (volume as unknown as Record<string, Record<string, string | boolean> | undefined>)[field];
      if (source === undefined) return [];
      const shareable = readers && source['readOnly'] === true;
      return [{ id: `${field}/${ids.map((id) => String(source[id] ?? '')).join('/')}`, shareable }];
    }),
  );
}
