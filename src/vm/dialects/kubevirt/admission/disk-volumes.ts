import { danglingDisks } from '#api/kubevirt/dangling-disks';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { type FieldError, fieldErrorBody, invalid, notFound } from '#platform/base/field-error';
import type { AdmissionResult } from '#vm/admission/admitter';

/** Validation of the references between disks and volumes. */

export interface DiskVolumeOptions {
  /** Spec before the write. */
  readonly old: InstanceSpec | undefined;
  /** The manifest is of a version in which disks named their volume in `volumeName`. */
  readonly oldVersion: boolean;
}

/**
 * Validates that the volume of every disk exists. A stored spec without one gets a warning instead of blocking every
 * later write, and so does a manifest in the old form.
 */
export function missingVolumes(
  spec: InstanceSpec,
  path: string,
  { old, oldVersion }: DiskVolumeOptions,
): AdmissionResult {
  const dangling = danglingDisks(spec);
  if (dangling.length === 0) return NOTHING;
  const known = new Set((old === undefined ? [] : danglingDisks(old)).map(({ disk, volume }) => `${disk}/${volume}`));
  const causes: FieldError[] = [];
  const warnings: string[] = [];
  for (const { position, disk, volume, oldForm } of dangling) {
    const field = `${path}.domain.devices.disks[${position}].${oldForm ? 'volumeName' : 'name'}`;
    const cause = notFound(field, volume);
    if ((oldForm && oldVersion) || known.has(`${disk}/${volume}`)) {
      warnings.push(`${field}: ${fieldErrorBody(cause)}: no volume has this name; the VM cannot start without it`);
    } else causes.push(cause);
  }
  return { causes, warnings };
}

const NOTHING: AdmissionResult = { causes: [], warnings: [] };

/** Returns errors for volumes that no disk and no shared file system uses. */
export function unusedVolumes({ domain, volumes = [] }: InstanceSpec, path: string): FieldError[] {
  if (volumes.length === 0) return [];
  const { disks = [], ...devices } = domain.devices;
  const filesystems = (devices as { filesystems?: readonly { name: string }[] }).filesystems ?? [];
  const shown = new Set([
    ...disks.map(({ name, volumeName }) => volumeName ?? name),
    ...filesystems.map(({ name }) => name),
  ]);
  const causes: FieldError[] = [];
  for (const [i, volume] of volumes.entries()) {
    // A memory dump is an output, so no disk uses it.
    if (shown.has(volume.name) || 'memoryDump' in volume) continue;
    causes.push(invalid(`${path}.volumes[${i}].name`, volume.name, 'no disk or filesystem has this name'));
  }
  return causes;
}
