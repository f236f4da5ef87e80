import type { MachineDisk } from '../../machine-spec.ts';

/** Returns the name of the field that says where the contents of a disk come from, such as containerDisk. */
export function volumeKindOf({ volume }: MachineDisk): string {
  return Object.keys(volume).find((key) => key !== 'name') ?? 'none';
}
