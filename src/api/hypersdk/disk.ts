import type { OutputOf } from '#platform/schema/schema';
import { choice, integer, list, object, quantity, requiredField, string } from '#platform/schema/schema';
import { immutable } from './immutable.ts';

const source = object(
  'Initial content of a new disk. If not set, the first disk gets the image of the VM, and every other disk is empty.',
  {
    pvc: string('Name of a PersistentVolumeClaim in the same namespace to clone.', { maxLength: 253 }),
    http: string('http:// or https:// address of a disk image.', { maxLength: 2048 }),
    s3: string('s3://bucket/key of a disk image.', { maxLength: 2048 }),
    containerDisk: string('Container image with the disk under /disk.', { maxLength: 1024 }),
  },
  {
    rules: [
      {
        rule: '[has(self.pvc), has(self.http), has(self.s3), has(self.containerDisk)].filter(given, given).size() <= 1',
        message: 'a disk has one source: at most one of pvc, http, s3 and containerDisk',
      },
    ],
  },
);

const disk = object(
  'One disk of the VM.',
  {
    name: requiredField(string('Name of the disk, unique in the VM.', { minLength: 1, maxLength: 63 })),
    size: requiredField(quantity('Capacity of the disk, such as 50Gi. It may grow later, never shrink.')),
    storageClass: string('StorageClass of the claim behind the disk; fixed once the disk exists.', {
      default: 'standard',
      maxLength: 253,
    }),
    bootOrder: integer('Position in the boot order, starting at 1. Disks without one follow in list order.', {
      format: 'int32',
      minimum: 1,
    }),
    type: choice('A hard disk, or a read-only CD-ROM drive.', ['disk', 'cdrom'], { default: 'disk' }),
    source,
  },
  {
    rules: [
      immutable(
        'storageClass',
        'storageClass of an existing disk cannot be changed: add a disk of the other class instead',
      ),
    ],
  },
);
export type Disk = OutputOf<typeof disk>;

export const disks = list(
  'Disks of the VM, each on a PersistentVolumeClaim <vm>-<disk>. The claim is retained while the VM is stopped, and deleted with it unless the VM has the annotation hypersdk.io/retain-disks: "true". If not set, the VM has one disk created from its image.',
  disk,
  { keys: ['name'], maxItems: 64 },
);
