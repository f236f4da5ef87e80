import { boolean, choice, integer, list, object, required, string } from '#platform/schema/schema';
import { kubevirtObject } from './upstream.ts';

/** KubeVirt's limit for lists of devices, which also keeps checks over them cheap. */
export const MAX_DEVICES = 256;

export const bootOrder = integer('Place in the order of boot devices, 1 first; no two devices may share one.', {
  format: 'int32',
  minimum: 1,
});

const busText = (standard: string) => `Bus that the device sits on; ${standard} when left out.`;
const readonly = (standard: string) => boolean(`The guest cannot write; ${standard} when left out.`);

const disk = kubevirtObject('Disk', 'A disk of the machine.', {
  name: required(string('Name of the disk, and of the volume that it shows.', { minLength: 1, maxLength: 253 })),
  volumeName: string(
    'Name of the volume that the disk shows, as manifests of v1alpha2 say it; the volume named as the disk when left out.',
    { maxLength: 253 },
  ),
  disk: kubevirtObject('DiskTarget', 'The guest sees a hard disk. This is what it sees when no target is given.', {
    bus: choice(busText('virtio'), ['virtio', 'sata', 'scsi', 'usb']),
    readonly: readonly('false'),
  }),
  cdrom: object('The guest sees a CD-ROM drive.', {
    bus: choice(busText('sata'), ['sata', 'scsi', 'usb']),
    readonly: readonly('true'),
    tray: choice('Whether the tray is open or closed at the start; closed when left out.', ['open', 'closed']),
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
  shareable: boolean('Lets several machines use the disk at once.'),
});

export const disks = list('Disks that the guest sees.', disk, { keys: ['name'], maxItems: MAX_DEVICES });
