import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import type { PreparedDisk } from './qemu-host.ts';

/** Returns the arguments for the disks of a machine. A disk that was not prepared is an error of the caller. */
export function diskArguments(spec: MachineSpec, prepared: readonly PreparedDisk[]): string[] {
  const hasScsi = spec.disks.some(({ bus, target }) => bus === 'scsi' || target === 'lun');
  const controllers = hasScsi ? ['-device', 'virtio-scsi-pci,id=scsi0'] : [];
  const disks = spec.disks.flatMap((disk, at) => {
    const found = prepared.find(({ name }) => name === disk.name);
    if (found === undefined) throw new RangeError(`disk ${disk.name} was not prepared`);
    return ['-blockdev', JSON.stringify(blockNode(found, at)), '-device', JSON.stringify(device(disk, at))];
  });
  return [...controllers, ...disks];
}

/** Returns the block device of an image. It names its format, because a guessed one would let a guest choose it. */
function blockNode({ file, format, readonly, base }: PreparedDisk, at: number): object {
  return {
    driver: format,
    'node-name': `disk${at}`,
    'read-only': readonly,
    discard: 'unmap',
    ...(base === undefined ? {} : { backing: baseNode(base) }),
    file: { driver: 'file', filename: file, 'read-only': readonly, locking: readonly ? 'off' : 'on' },
  };
}

function baseNode({ file, format }: NonNullable<PreparedDisk['base']>): object {
  return {
    driver: format,
    'read-only': true,
    file: { driver: 'file', filename: file, 'read-only': true, locking: 'off' },
  };
}

function device(disk: MachineDisk, at: number): object {
  const { bus, target, bootOrder } = disk;
  const shared = {
    id: `drive${at}`,
    drive: `disk${at}`,
    ...(bootOrder === undefined ? {} : { bootindex: bootOrder }),
  };
  // A full disk pauses the guest, which resumes when there is room again.
  const errors = disk.readonly ? {} : { werror: 'enospc' };
  if (target === 'lun') throw new NotSupportedError('qemu', `disk ${disk.name}: target lun`);
  if (target === 'cdrom') {
    if (bus !== 'sata' && bus !== 'scsi') throw new NotSupportedError('qemu', `disk ${disk.name}: a CD-ROM on ${bus}`);
    return { driver: bus === 'sata' ? 'ide-cd' : 'scsi-cd', ...shared };
  }
  switch (bus) {
    case 'virtio':
      return { driver: 'virtio-blk-pci', ...shared, ...errors };
    case 'sata':
      return { driver: 'ide-hd', ...shared, ...errors };
    case 'scsi':
      return { driver: 'scsi-hd', ...shared, ...errors };
    default:
      throw new NotSupportedError('qemu', `disk ${disk.name}: bus ${bus}`);
  }
}
