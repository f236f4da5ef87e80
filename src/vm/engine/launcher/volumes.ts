import { IMAGE_SECRET_ANNOTATION } from '#api/disk/image-secret';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';

type Source = NonNullable<InstanceSpec['volumes']>[number];

/** Volumes of a launcher pod and the mounts of its container. */
export interface LauncherVolumes {
  readonly volumes: readonly PodVolume[];
  readonly mounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly devices: readonly { readonly name: string; readonly devicePath: string }[];
}

interface PodVolume {
  readonly name: string;
  readonly [source: string]: unknown;
}

const DISKS = '/var/run/kubevirt-private/vmi-disks';
const DATA = '/var/run/kubevirt-private';

/** Returns the names of the claims that a VM uses. A DataVolume populates the claim of its own name. */
export function claimNames({ volumes = [] }: Pick<InstanceSpec, 'volumes'>): string[] {
  return volumes.flatMap(({ persistentVolumeClaim, dataVolume }) => {
    const name = persistentVolumeClaim?.claimName ?? dataVolume?.name;
    return name === undefined ? [] : [name];
  });
}

/**
 * Returns the volumes that the node must mount for the pod: claims, and files from cluster objects. Disk images and
 * inline data reach the machine through the node agent.
 */
export function launcherVolumes(
  { volumes = [], accessCredentials = [] }: Pick<InstanceSpec, 'volumes' | 'accessCredentials'>,
  claim: (name: string) => PersistentVolumeClaim | undefined,
): LauncherVolumes {
  const found = {
    volumes: [] as PodVolume[],
    mounts: [] as LauncherVolumes['mounts'][number][],
    devices: [] as LauncherVolumes['devices'][number][],
  };
  const mount = (volume: PodVolume, path: string, readOnly = false) => {
    found.volumes.push(volume);
    found.mounts.push({ name: volume.name, mountPath: `${path}/${volume.name}`, ...(readOnly ? { readOnly } : {}) });
  };
  for (const source of volumes) {
    const { name, configMap, secret, sysprep, hostDisk } = source;
    const [claimName] = claimNames({ volumes: [source] });
    if (claimName !== undefined) {
      const readOnly = source.persistentVolumeClaim?.readOnly === true;
      const volume = { name, persistentVolumeClaim: { claimName, ...(readOnly ? { readOnly } : {}) } };
      if (claim(claimName)?.spec.volumeMode !== 'Block') mount(volume, DISKS, readOnly);
      else {
        found.volumes.push(volume);
        found.devices.push({ name, devicePath: `/dev/${name}` });
      }
    } else if (configMap !== undefined) {
      mount({ name, configMap: { name: configMap.name, ...optional(configMap) } }, `${DATA}/config-map`);
    } else if (secret !== undefined) {
      mount({ name, secret: { secretName: secret.secretName, ...optional(secret) } }, `${DATA}/secret`);
    } else if (sysprep !== undefined) {
      mount({ name, ...sysprepSource(sysprep) }, `${DATA}/sysprep`);
    } else if (hostDisk !== undefined) {
      mount({ name, hostPath: { path: directoryOf(hostDisk.path), type: 'DirectoryOrCreate' } }, DISKS);
    } else {
      for (const [ending, secretName] of cloudInitSecrets(source)) {
        mount({ name: `${name}-${ending}`, secret: { secretName } }, `${DATA}/secret`);
      }
    }
  }
  for (const [at, secretName] of credentialSecrets(accessCredentials).entries()) {
    const name = unusedName(`access-credential-${at}`, found.volumes);
    mount({ name, secret: { secretName } }, `${DATA}/secret`);
  }
  return found;
}

/** Returns the names of the Secrets with which the node agent pulls disk images. */
export function imagePullSecrets(
  { volumes = [] }: Pick<InstanceSpec, 'volumes'>,
  annotations: Readonly<Record<string, string>> = {},
): { readonly name: string }[] {
  const ofAll = annotations[IMAGE_SECRET_ANNOTATION] ?? [];
  const names = volumes.flatMap(({ containerDisk }) => containerDisk?.imagePullSecret ?? []).concat(ofAll);
  return [...new Set(names)].map((name) => ({ name }));
}

function sysprepSource({ configMap, secret }: NonNullable<Source['sysprep']>): object {
  return configMap === undefined ? { secret: { secretName: secret?.name } } : { configMap: { name: configMap.name } };
}

/** Returns the names of the Secrets with keys and passwords, each once. */
function credentialSecrets(credentials: NonNullable<InstanceSpec['accessCredentials']>): string[] {
  const names = credentials.flatMap(
    ({ sshPublicKey, userPassword }) => (sshPublicKey ?? userPassword)?.source.secret?.secretName ?? [],
  );
  return [...new Set(names)];
}

/** Returns a name that no volume has yet, because users may choose any. */
function unusedName(name: string, volumes: readonly PodVolume[]): string {
  return volumes.some((volume) => volume.name === name) ? unusedName(`${name}-0`, volumes) : name;
}

const optional = ({ optional: value }: { readonly optional?: boolean }) =>
  value === undefined ? {} : { optional: value };

const directoryOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 1));

function cloudInitSecrets({ cloudInitNoCloud, cloudInitConfigDrive }: Source): [ending: string, secret: string][] {
  const { secretRef, networkDataSecretRef } = cloudInitNoCloud ?? cloudInitConfigDrive ?? {};
  const secrets: [string, string | undefined][] = [
    ['udata', secretRef?.name],
    ['ndata', networkDataSecretRef?.name],
  ];
  return secrets.flatMap(([ending, name]) => (name === undefined ? [] : [[ending, name] as [string, string]]));
}
