import { describe, expect, test } from 'vitest';
import { rootDisk, rootVolume, tryVm, type VmCase } from '#testing/vm-trial';

const cases = (rows: readonly VmCase[]) =>
  test.each(rows)('%s', (_, parts, causes) => expect(tryVm(parts).causes).toEqual(causes));

const disk = (index: number) => `spec.domain.devices.disks[${index}]`;
const iface = (index: number) => `spec.domain.devices.interfaces[${index}]`;
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('disks', () => {
  cases([
    [
      'a disk without its volume',
      { devices: { disks: [rootDisk, { name: 'data' }] } },
      [`${disk(1)}.name: Not found: "data"`],
    ],
    ['an empty CD-ROM drive is fine', { devices: { disks: [rootDisk, { name: 'drive', cdrom: {} }] } }, []],
    [
      'the old form with a volume that is there is fine',
      { devices: { disks: [{ name: 'first', volumeName: 'root' }] } },
      [],
    ],
    [
      'the old form with an unknown volume',
      { devices: { disks: [rootDisk, { name: 'second', volumeName: 'nope' }] } },
      [`${disk(1)}.volumeName: Not found: "nope"`],
    ],
    [
      'two targets',
      { devices: { disks: [{ name: 'root', disk: {}, cdrom: {} }] } },
      [`${disk(0)}: Invalid value: "disk, cdrom": can only have a single target type defined: disk, cdrom or lun`],
    ],
    [
      'a read-only sata disk',
      { devices: { disks: [{ name: 'root', disk: { bus: 'sata', readonly: true } }] } },
      [
        `${disk(0)}.disk.readonly: Invalid value: true: sata hard-disks do not support read-only; use virtio, scsi or a cdrom`,
      ],
    ],
    [
      'a name that no container may have',
      {
        devices: { disks: [rootDisk, { name: 'My_Disk' }] },
        spec: { volumes: [rootVolume, { name: 'My_Disk', emptyDisk: { capacity: '1Gi' } }] },
      },
      [
        `${disk(1)}.name: Invalid value: "My_Disk": ${LABEL_RULE}`,
        `spec.volumes[1].name: Invalid value: "My_Disk": ${LABEL_RULE}`,
      ],
    ],
    [
      'one place in the boot order for a disk and a card',
      {
        devices: {
          disks: [{ ...rootDisk, bootOrder: 1 }],
          interfaces: [{ name: 'net', masquerade: {}, bootOrder: 1 }],
        },
        spec: { networks: [{ name: 'net', pod: {} }] },
      },
      [`${iface(0)}.bootOrder: Duplicate value: 1`],
    ],
    [
      'a boot order of zero',
      { devices: { disks: [{ ...rootDisk, bootOrder: 0 }] } },
      [`${disk(0)}.bootOrder: Invalid value: 0: ${disk(0)}.bootOrder in body should be greater than or equal to 1`],
    ],
    [
      'two disks of one name',
      { devices: { disks: [rootDisk, rootDisk] } },
      [`${disk(1)}: Duplicate value: {"name":"root"}`],
    ],
  ]);
});
