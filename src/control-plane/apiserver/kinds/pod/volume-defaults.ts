import { defaultFieldRef, defaultResourceRef } from './container-defaults.ts';
import { pullPolicyOf } from './image-reference.ts';
import type { DownwardFile, Volume, VolumeSources } from './pod-spec.ts';

const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

/** Sets the defaults of a volume. One without a source is an emptyDir. */
export function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === 'name')) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source !== undefined) source.defaultMode ??= FILE_MODE;
  }
  for (const file of volume.downwardAPI?.items ?? []) defaultDownwardFile(file);
  for (const { downwardAPI, serviceAccountToken } of volume.projected?.sources ?? []) {
    for (const file of downwardAPI?.items ?? []) defaultDownwardFile(file);
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
  }
  if (volume.image !== undefined) volume.image.pullPolicy ||= pullPolicyOf(volume.image.reference);
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template !== undefined) (template.spec ??= {})['volumeMode'] ??= 'Filesystem';
  defaultStorageBackend(volume);
}

function defaultDownwardFile({ fieldRef, resourceFieldRef }: DownwardFile): void {
  defaultFieldRef(fieldRef);
  defaultResourceRef(resourceFieldRef);
}

type StorageBackends = Pick<VolumeSources, 'hostPath' | 'iscsi' | 'rbd' | 'azureDisk' | 'scaleIO'>;

/** Sets defaults that persistent volumes and volumes of pods share. */
export function defaultStorageBackend({ hostPath, iscsi, rbd, azureDisk, scaleIO }: StorageBackends): void {
  if (hostPath !== undefined) hostPath.type ??= '';
  if (iscsi !== undefined) iscsi.iscsiInterface ||= 'default';
  if (rbd !== undefined) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}
