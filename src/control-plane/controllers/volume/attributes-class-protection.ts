import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  VOLUME_ATTRIBUTES_CLASSES,
  type VolumeAttributesClass,
} from '#platform/kube/kinds/storage';
import type { Index } from '#platform/runtime/cache';
import { type Controller, watchSource } from '#platform/runtime/controller';

/** Returns the classes that a claim requests, has, or is being modified to. */
function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const { currentVolumeAttributesClassName: has, modifyVolumeStatus } = status ?? {};
  return classNames(spec.volumeAttributesClassName, has, modifyVolumeStatus?.targetVolumeAttributesClassName);
}

const classesOfVolume = ({ spec }: PersistentVolume): string[] => classNames(spec.volumeAttributesClassName);

const classNames = (...names: (string | undefined)[]): string[] =>
  names.filter((name) => name !== undefined && name !== '') as string[];

const byClaim: Index<PersistentVolumeClaim> = { values: classesOfClaim };
const byVolume: Index<PersistentVolume> = { values: classesOfVolume };

/** Removes the finalizer of a deleted class when no claim and no volume uses it. */
export const attributesClassProtection: Controller<VolumeAttributesClass> = {
  name: 'volume attributes class protection',
  for: VOLUME_ATTRIBUTES_CLASSES,
  watches: [watchSource(PERSISTENT_VOLUME_CLAIMS, classesOfClaim), watchSource(PERSISTENT_VOLUMES, classesOfVolume)],
  async reconcile() {},
  finalize: {
    finalizer: 'kubernetes.io/vac-protection',
    async run({ metadata }, { cache, client }) {
      const { name = '' } = metadata;
      for (const _claim of cache(PERSISTENT_VOLUME_CLAIMS).by(byClaim, name)) return 'held';
      for (const _volume of cache(PERSISTENT_VOLUMES).by(byVolume, name)) return 'held';
      // There may be a new claim that the cache has not seen yet.
      const { items } = await client.list(PERSISTENT_VOLUME_CLAIMS);
      return items.some((claim) => classesOfClaim(claim).includes(name)) ? { requeueAfterMs: 1000 } : undefined;
    },
  },
};
