import type { OutputOf } from '#platform/schema/schema';
import { choice, integer, list, object, quantity, required, string } from '#platform/schema/schema';
import { immutable } from './immutable.ts';

const source = object(
  'What a new disk is filled with; left out, the first disk gets the image of the machine and every other one is empty.',
  {
    pvc: string('Name of a PersistentVolumeClaim in the same namespace that is cloned.', { maxLength: 253 }),
    http: string('http:// or https:// address of a disk image.', { maxLength: 2048 }),
    s3: string('s3://bucket/key of a disk image.', { maxLength: 2048 }),
    containerDisk: string('Container image that carries the disk under /disk.', { maxLength: 1024 }),
  },
  {
    rules: [
      {
        rule: '[has(self.pvc), has(self.http), has(self.s3), has(self.containerDisk)].filter(given, given).size() <= 1',
        message: 'a disk has one origin: at most one of pvc, http, s3 and containerDisk',
      },
    ],
  },
);

const disk = object(
  'One disk of the machine.',
  {
    name: required(string('Name of the disk, unique in the machine.', { minLength: 1, maxLength: 63 })),
    size: required(quantity('Capacity of the disk, such as 50Gi. It may grow later, never shrink.')),
    storageClass: string('StorageClass of the claim behind the disk; fixed once the disk exists.', {
      default: 'standard',
      maxLength: 253,
    }),
    bootOrder: integer('Place in the boot sequence, 1 first; disks without one follow in the order of the list.', {
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
  'Disks of the machine, each on a PersistentVolumeClaim <machine>-<disk> that stays while the machine is off and goes with it, unless the machine has the annotation hypersdk.io/retain-disks: "true". Left out, the machine has one disk made from its image.',
  disk,
  { keys: ['name'], maxItems: 64 },
);
