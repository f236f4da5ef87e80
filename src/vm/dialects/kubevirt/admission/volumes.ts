import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import { explainBytes, isTooFewBytes } from '#platform/base/intended-bytes';
import { dns1123LabelProblems } from '#platform/base/names';
import { validateCloudInit } from './cloud-init.ts';
import { validateName } from './names.ts';
import { read, validateAmount } from './quantities.ts';

type Volume = NonNullable<InstanceSpec['volumes']>[number];

export interface VolumeOptions {
  /** Cloud-init data may have any size. Only the operator's own objects may exceed KubeVirt's limit. */
  readonly anySize: boolean;
}

/** Validates each volume by itself: one source, with the fields that it requires. */
export function validateVolume({ volumes = [] }: InstanceSpec, path: string, options: VolumeOptions): FieldError[] {
  const causes: FieldError[] = [];
  for (const [i, volume] of volumes.entries()) {
    const at = `${path}.volumes[${i}]`;
    causes.push(
      // The name becomes a volume name in the pod.
      ...validateName(`${at}.name`, volume.name, dns1123LabelProblems),
      ...validateSourceCount(volume, at),
      ...validateSource(volume, at, options),
    );
  }
  return causes;
}

/** Returns warnings for disks of a few bytes, which KubeVirt accepts and which nobody can want. */
export function tinyDiskWarnings({ volumes = [] }: InstanceSpec, path: string): string[] {
  return volumes.flatMap(({ emptyDisk }, i) => {
    const amount = read(emptyDisk?.capacity);
    if (emptyDisk === undefined || amount === undefined || !isTooFewBytes(amount)) return [];
    const explanation = explainBytes(emptyDisk.capacity, 'disk');
    return [`${path}.volumes[${i}].emptyDisk.capacity: ${emptyDisk.capacity} is less than 1M: ${explanation}`];
  });
}

function validateSourceCount(volume: Volume, at: string): FieldError[] {
  const sources = Object.keys(volume).filter((field) => field !== 'name');
  if (sources.length === 1) return [];
  const detail = 'must have exactly one source type set';
  return [sources.length === 0 ? required(at, detail) : invalid(at, sources.join(', '), detail)];
}

function validateSource(volume: Volume, at: string, { anySize }: VolumeOptions): FieldError[] {
  const { cloudInitNoCloud, cloudInitConfigDrive, containerDisk, emptyDisk, configMap, secret, sysprep, hostDisk } =
    volume;
  const causes: FieldError[] = [];
  if (cloudInitNoCloud !== undefined)
    append(causes, validateCloudInit(cloudInitNoCloud, `${at}.cloudInitNoCloud`, anySize));
  if (cloudInitConfigDrive !== undefined) {
    append(causes, validateCloudInit(cloudInitConfigDrive, `${at}.cloudInitConfigDrive`, anySize));
  }
  if (containerDisk?.path !== undefined) append(causes, validatePath(`${at}.containerDisk.path`, containerDisk.path));
  if (emptyDisk !== undefined) append(causes, validateAmount(`${at}.emptyDisk.capacity`, emptyDisk.capacity));
  if (configMap !== undefined && !configMap.name) causes.push(required(`${at}.configMap.name`));
  if (secret !== undefined && !secret.secretName) causes.push(required(`${at}.secret.secretName`));
  if (sysprep !== undefined) append(causes, validateSysprep(sysprep, `${at}.sysprep`));
  if (hostDisk !== undefined) append(causes, validateHostDisk(hostDisk, `${at}.hostDisk`));
  return causes;
}

function validateSysprep({ configMap, secret }: NonNullable<Volume['sysprep']>, at: string): FieldError[] {
  if ((configMap === undefined) !== (secret === undefined)) return [];
  const detail = 'must have exactly one source set: configMap or secret';
  return [configMap === undefined ? required(at, detail) : invalid(at, 'configMap, secret', detail)];
}

function validatePath(field: string, path: string): FieldError[] {
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  const clean = path.startsWith('/') && parts.length > 0 && parts.every((part) => !['', '.', '..'].includes(part));
  return clean ? [] : [invalid(field, path, 'must be an absolute path to a file without relative components')];
}

function validateHostDisk({ path, type, capacity }: NonNullable<Volume['hostDisk']>, at: string): FieldError[] {
  const causes = validatePath(`${at}.path`, path);
  if (capacity === undefined) return causes;
  if (type === 'Disk') {
    causes.push(invalid(`${at}.capacity`, capacity, 'is allowed to pass only with type equal to DiskOrCreate'));
  }
  return [...causes, ...validateAmount(`${at}.capacity`, capacity)];
}
