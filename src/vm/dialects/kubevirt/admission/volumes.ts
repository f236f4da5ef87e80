import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems } from '#platform/base/names';
import { cloudInitCauses } from './cloud-init.ts';
import { nameCauses } from './names.ts';
import { amountCauses } from './quantities.ts';

type Volume = NonNullable<InstanceSpec['volumes']>[number];

export interface VolumeOptions {
  /** Whether cloud-init data may be of any size; only the operator's own objects may hold more than KubeVirt allows. */
  readonly anySize: boolean;
}

/** Each volume by itself: one source, and what its source asks for. */
export function volumeCauses({ volumes = [] }: InstanceSpec, path: string, options: VolumeOptions): FieldError[] {
  const causes: FieldError[] = [];
  for (const [i, volume] of volumes.entries()) {
    const at = `${path}.volumes[${i}]`;
    causes.push(
      // The name becomes the name of a volume of the pod.
      ...nameCauses(`${at}.name`, volume.name, dns1123LabelProblems),
      ...sourceCountCauses(volume, at),
      ...sourceCauses(volume, at, options),
    );
  }
  return causes;
}

function sourceCountCauses(volume: Volume, at: string): FieldError[] {
  const sources = Object.keys(volume).filter((field) => field !== 'name');
  if (sources.length === 1) return [];
  const detail = 'must have exactly one source type set';
  return [sources.length === 0 ? required(at, detail) : invalid(at, sources.join(', '), detail)];
}

function sourceCauses(volume: Volume, at: string, { anySize }: VolumeOptions): FieldError[] {
  const { cloudInitNoCloud, cloudInitConfigDrive, containerDisk, emptyDisk, configMap, secret, hostDisk } = volume;
  const causes: FieldError[] = [];
  if (cloudInitNoCloud !== undefined)
    append(causes, cloudInitCauses(cloudInitNoCloud, `${at}.cloudInitNoCloud`, anySize));
  if (cloudInitConfigDrive !== undefined) {
    append(causes, cloudInitCauses(cloudInitConfigDrive, `${at}.cloudInitConfigDrive`, anySize));
  }
  if (containerDisk?.path !== undefined) append(causes, pathCauses(`${at}.containerDisk.path`, containerDisk.path));
  if (emptyDisk !== undefined) append(causes, amountCauses(`${at}.emptyDisk.capacity`, emptyDisk.capacity));
  if (configMap !== undefined && !configMap.name) causes.push(required(`${at}.configMap.name`));
  if (secret !== undefined && !secret.secretName) causes.push(required(`${at}.secret.secretName`));
  if (hostDisk !== undefined) append(causes, hostDiskCauses(hostDisk, `${at}.hostDisk`));
  return causes;
}

function pathCauses(field: string, path: string): FieldError[] {
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  const clean = path.startsWith('/') && parts.length > 0 && parts.every((part) => !['', '.', '..'].includes(part));
  return clean ? [] : [invalid(field, path, 'must be an absolute path to a file without relative components')];
}

function hostDiskCauses({ path, type, capacity }: NonNullable<Volume['hostDisk']>, at: string): FieldError[] {
  const causes = pathCauses(`${at}.path`, path);
  if (capacity === undefined) return causes;
  if (type === 'Disk') {
    causes.push(invalid(`${at}.capacity`, capacity, 'is allowed to pass only with type equal to DiskOrCreate'));
  }
  return [...causes, ...amountCauses(`${at}.capacity`, capacity)];
}
