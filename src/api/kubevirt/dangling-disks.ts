import type { InstanceSpec } from './virtual-machine-instance.ts';

/** Disk whose volume does not exist. */
export interface DanglingDisk {
  /** Index of the disk in its list. */
  readonly position: number;
  readonly disk: string;
  readonly volume: string;
  /** The disk names its volume in the form of v1alpha2. */
  readonly oldForm: boolean;
}

/** Returns disks that prevent the VM from starting. */
export function danglingDisks({ domain, volumes = [] }: InstanceSpec): DanglingDisk[] {
  const names = new Set(volumes.map(({ name }) => name));
  const found: DanglingDisk[] = [];
  for (const [position, { name, volumeName, cdrom }] of (domain.devices.disks ?? []).entries()) {
    // A CD-ROM drive may be empty.
    if (cdrom !== undefined && volumeName === undefined) continue;
    const volume = volumeName ?? name;
    if (!names.has(volume)) found.push({ position, disk: name, volume, oldForm: volumeName !== undefined });
  }
  return found;
}
