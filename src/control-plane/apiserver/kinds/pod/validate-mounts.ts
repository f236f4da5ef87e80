import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, notFound, required } from '#platform/base/field-error';
import { byName } from '../by-name.ts';
import { validateOneOf, validateRelativePath } from '../field-checks.ts';
import type { Container, Volume, VolumeMount } from './pod-spec.ts';

/** Validates the volume mounts and devices of a container. */
export function validateMounts(field: string, container: Container, volumes: readonly Volume[]): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const deviceNames = new Set(volumeDevices.map(({ name = '' }) => name));
  const devicePaths = new Set(volumeDevices.map(({ devicePath = '' }) => devicePath));
  const mountNames = new Set(volumeMounts.map(({ name = '' }) => name));
  const mountPaths = new Set(volumeMounts.map(({ mountPath = '' }) => mountPath));
  const known = byName(volumes);
  const causes: FieldError[] = [];
  const paths = new Set<string>();
  for (const [i, mount] of volumeMounts.entries()) {
    const at = index(`${field}.volumeMounts`, i);
    const { name = '', mountPath = '' } = mount;
    if (name === '') causes.push(required(`${at}.name`));
    if (!known.has(name)) causes.push(notFound(`${at}.name`, name));
    if (mountPath === '') causes.push(required(`${at}.mountPath`));
    if (paths.has(mountPath)) causes.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    if (deviceNames.has(name)) causes.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath)) {
      causes.push(invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    }
    append(causes, validateMount(`${field}.volumeMounts`, at, mount, container));
  }
  const seen = { names: new Set<string>(), paths: new Set<string>() };
  for (const [i, { name = '', devicePath = '' }] of volumeDevices.entries()) {
    const at = index(`${field}.volumeDevices`, i);
    if (name === '') causes.push(required(`${at}.name`));
    if (seen.names.has(name)) causes.push(invalid(`${at}.name`, name, 'must be unique'));
    const volume = known.get(name);
    if (volume === undefined) causes.push(notFound(`${at}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      causes.push(invalid(`${at}.name`, name, detail));
    }
    if (devicePath === '') causes.push(required(`${at}.devicePath`));
    if (seen.paths.has(devicePath)) causes.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'));
    if (devicePath.split('/').includes('..'))
      causes.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    seen.names.add(name);
    seen.paths.add(devicePath);
    if (mountNames.has(name)) causes.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath)) {
      causes.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    }
  }
  return causes;
}

/** Validates a mount. Some causes name only the list, as those of the server do. */
function validateMount(list: string, at: string, mount: VolumeMount, container: Container): FieldError[] {
  const { subPath = '', subPathExpr = '', mountPropagation, recursiveReadOnly, readOnly } = mount;
  const causes: FieldError[] = [];
  if (subPath !== '') append(causes, validateRelativePath(`${list}.subPath`, subPath));
  if (subPathExpr !== '') {
    if (subPath !== '') {
      causes.push(invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
    }
    append(causes, validateRelativePath(`${list}.subPathExpr`, subPathExpr));
  }
  if (mountPropagation !== undefined) {
    const field = `${list}.mountPropagation`;
    append(causes, validateOneOf(field, mountPropagation, ['Bidirectional', 'HostToContainer', 'None']));
    if (mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
      causes.push(forbidden(field, 'Bidirectional mount propagation is available only to privileged containers'));
    }
  }
  if (recursiveReadOnly !== undefined) {
    const field = `${list}.recursiveReadOnly`;
    append(causes, validateOneOf(field, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible']));
    if (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible') {
      if (readOnly !== true) causes.push(forbidden(field, 'may only be specified when readOnly is true'));
      if ((mountPropagation ?? 'None') !== 'None') {
        causes.push(forbidden(field, 'may only be specified when mountPropagation is None or not specified'));
      }
    }
  }
  return causes;
}
