import { boolean, choice, integer, list, object, requiredField, string } from '#platform/schema/schema';
import { kubevirtObject } from './upstream.ts';

/** KubeVirt's limit for lists of devices, which also keeps checks over them cheap. */
export const MAX_DEVICES = 256;

export const bootOrder = integer('Position in the boot order, starting at 1; must be unique.', {
  format: 'int32',
  minimum: 1,
});

const busText = (standard: string) => `Bus of the device. Defaults to ${standard}.`;
const readonly = (standard: string) => boolean(`Whether the guest cannot write. Defaults to ${standard}.`);

const disk = kubevirtObject('Disk', 'A disk of the VM.', {
  name: requiredField(string('Name of the disk and of its volume.', { minLength: 1, maxLength: 253 })),
  volumeName: string('Name of the volume of the disk, as in v1alpha2 manifests. Defaults to the name of the disk.', {
    maxLength: 253,
  }),
  disk: kubevirtObject('DiskTarget', 'The guest sees a hard disk. This is the default.', {
    bus: choice(busText('virtio'), ['virtio', 'sata', 'scsi', 'usb']),
    readonly: readonly('false'),
  }),
  cdrom: object('The guest sees a CD-ROM drive.', {
    bus: choice(busText('sata'), ['sata', 'scsi', 'usb']),
    readonly: readonly('true'),
    tray: choice('Whether the tray is open or closed at the start. Defaults to closed.', ['open', 'closed']),
  }),
  lun: kubevirtObject('LunTarget', 'The guest sees a SCSI unit and may send SCSI commands to it.', {
    bus: choice(busText('scsi'), ['virtio', 'sata', 'scsi', 'usb']),
    readonly: readonly('false'),
  }),
  bootOrder,
  serial: string('Serial number that the guest sees; it names the disk under /dev/disk/by-id.', {
    maxLength: 256,
    pattern: '^[A-Za-z0-9_.+-]*$',
  }),
  cache: choice('How writes are cached on the node.', ['none', 'writethrough', 'writeback']),
  io: choice('How the node reads and writes the disk.', ['native', 'threads']),
  shareable: boolean('Lets several VMs use the disk at once.'),
});

export const disks = list('Disks that the guest sees.', disk, { keys: ['name'], maxItems: MAX_DEVICES });
