import { IMAGE_SECRET_ANNOTATION } from '#api/disk/image-secret';
import type { ImageRequest } from '#vm/image-store/image-request';
import type { ClaimInfo } from '../../claim-reader.ts';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';

type Spec = Pick<MachineSpec, 'namespace' | 'annotations'>;

/** Returns the claim of a disk. A DataVolume populates the claim of its own name. */
export function claimNameOf({ volume }: MachineDisk): string | undefined {
  return volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name;
}

/** Returns the image of a containerDisk, or undefined for other volumes. */
export function containerDiskImage({ volume }: MachineDisk, spec: Spec): ImageRequest | undefined {
  if (volume.containerDisk === undefined) return undefined;
  const { image, path, imagePullPolicy, imagePullSecret } = volume.containerDisk;
  const secret = imagePullSecret ?? spec.annotations[IMAGE_SECRET_ANNOTATION];
  return {
    image,
    namespace: spec.namespace,
    ...(path === undefined ? {} : { path }),
    ...(imagePullPolicy === undefined ? {} : { pullPolicy: imagePullPolicy }),
    ...(secret === undefined ? {} : { secret }),
  };
}

/** Returns the image that a claim is filled from, or undefined for a blank disk. */
export function claimImage({ image }: ClaimInfo, { namespace, annotations }: Spec): ImageRequest | undefined {
  if (image === undefined) return undefined;
  const secret = annotations[IMAGE_SECRET_ANNOTATION];
  return {
    image: image.source,
    namespace,
    ...(image.checksum === undefined ? {} : { checksum: image.checksum }),
    ...(secret === undefined ? {} : { secret }),
  };
}
