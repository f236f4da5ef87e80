import type { InstanceSpec } from './virtual-machine-instance.ts';

/** A disk that shows a volume that is not there. */
export interface DanglingDisk {
  /** Place of the disk in its list. */
  readonly position: number;
  readonly disk: string;
  readonly volume: string;
  /** Whether the disk names its volume in the form of v1alpha2. */
  readonly oldForm: boolean;
}

/** Disks without which the machine cannot start. */
export function danglingDisks({ domain, volumes = [] }: InstanceSpec): DanglingDisk[] {
  const names = new Set(volumes.map(({ name }) => name));
  const found: DanglingDisk[] = [];
  for (const [position, { name, volumeName, cdrom }] of (domain.devices.disks ?? []).entries()) {
    // A drive may be empty.
    if (cdrom !== undefined && volumeName === undefined) continue;
    const volume = volumeName ?? name;
    if (!names.has(volume)) found.push({ position, disk: name, volume, oldForm: volumeName !== undefined });
  }
  return found;
}
