import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { type FieldError, invalid } from '#platform/base/field-error';
import { dns1123LabelProblems } from '#platform/base/names';
import { validateName } from './names.ts';

type Disk = NonNullable<InstanceSpec['domain']['devices']['disks']>[number];

const TARGETS = ['disk', 'cdrom', 'lun'] as const;

/** Validates each disk by itself. Its volume is validated with the volumes. */
export function validateDisk({ domain }: InstanceSpec, path: string): FieldError[] {
  const causes: FieldError[] = [];
  for (const [i, disk] of (domain.devices.disks ?? []).entries()) {
    const at = `${path}.domain.devices.disks[${i}]`;
    // The name becomes a container name in the pod.
    append(causes, validateName(`${at}.name`, disk.name, dns1123LabelProblems), validateTarget(disk, at));
  }
  return causes;
}

function validateTarget(disk: Disk, at: string): FieldError[] {
  const targets = TARGETS.filter((target) => disk[target] !== undefined);
  if (targets.length > 1) {
    return [invalid(at, targets.join(', '), 'can only have a single target type defined: disk, cdrom or lun')];
  }
  if (disk.disk?.bus === 'sata' && disk.disk.readonly === true) {
    return [
      invalid(`${at}.disk.readonly`, true, 'sata hard-disks do not support read-only; use virtio, scsi or a cdrom'),
    ];
  }
  return [];
}
