import { claimedDisks, claimIn, ROOT_DISK } from '#api/novacron/claims';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { type FieldError, forbidden, index } from '#platform/base/field-error';
import { validateGrowth } from '#vm/admission/disk-growth';
import type { VmTemplate } from './vm-template.ts';

const RESOURCES = 'spec.template.spec.resources';
const VOLUMES = 'spec.template.spec.volumes';

/** Two disks of the same name would share one claim. */
export function validateRootName(template: VmTemplate | undefined, before: VmTemplate | undefined): FieldError[] {
  const at = (template?.spec?.volumes ?? []).findIndex(({ name }) => name === ROOT_DISK);
  if (at < 0 || before?.spec?.volumes?.some(({ name }) => name === ROOT_DISK) === true) return [];
  return [
    forbidden(`${index(VOLUMES, at)}.name`, `${ROOT_DISK} is reserved for the disk with the image: use another name`),
  ];
}

/** Rejects impossible changes of existing disks: shrinking, another class, or another mount. */
export function validateDiskChange({ spec }: VirtualMachine, old: VirtualMachine): FieldError[] {
  const { resources, volumes = [] } = spec.template.spec;
  const { image, volumes: standing = [] } = old.spec.template.spec;
  // A copy without a size has that of its source, which is unknown here.
  const isCopy = image !== undefined && claimIn(image.source) !== undefined;
  const before = claimedDisks(old.metadata.name, old.spec)
    .filter(({ anySize }) => anySize !== true || !isCopy)
    .map(({ disk }) => disk);
  const requested = [
    ...(resources.disk === undefined ? [] : [{ field: `${RESOURCES}.disk`, name: ROOT_DISK, size: resources.disk }]),
    ...volumes.map(({ name, size }, i) => ({ field: `${index(VOLUMES, i)}.size`, name, size })),
  ];
  return [
    ...validateGrowth(requested, before, old.status?.smallDisks),
    ...volumes.flatMap((volume, i) => {
      const was = standing.find(({ name }) => name === volume.name);
      return was === undefined ? [] : validateFixed(index(VOLUMES, i), volume, was);
    }),
  ];
}

type Volume = NonNullable<VirtualMachine['spec']['template']['spec']['volumes']>[number];

function validateFixed(field: string, volume: Volume, was: Volume): FieldError[] {
  const words = { storageClass: 'class', accessMode: 'mode' } as const;
  return (['storageClass', 'accessMode'] as const)
    .filter((name) => volume[name] !== was[name])
    .map((name) =>
      forbidden(
        `${field}.${name}`,
        `${name} of an existing disk cannot be changed: add a disk of the other ${words[name]} instead`,
      ),
    );
}
