import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';

/** Label of the file system by which cloud-init finds its data, and its files. */
export interface Seed {
  readonly label: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** Returns the NoCloud seed of a disk, or undefined if its volume is of another kind. */
export function noCloudSeed({ volume }: MachineDisk, { id, name }: MachineSpec): Seed | undefined {
  const source = volume.cloudInitNoCloud;
  if (source === undefined) return undefined;
  const network = textOf(source.networkData, source.networkDataBase64);
  const metaData = JSON.stringify({ 'instance-id': id, 'local-hostname': name });
  return {
    label: 'cidata',
    files: {
      'meta-data': Buffer.from(`${metaData}\n`),
      'user-data': textOf(source.userData, source.userDataBase64) ?? Buffer.from('#cloud-config\n'),
      ...(network === undefined ? {} : { 'network-config': network }),
    },
  };
}

/** Returns the ConfigDrive seed of a disk, or undefined if its volume is of another kind. */
export function configDriveSeed({ volume }: MachineDisk, { id, name }: MachineSpec): Seed | undefined {
  const source = volume.cloudInitConfigDrive;
  if (source === undefined) return undefined;
  const network = textOf(source.networkData, source.networkDataBase64);
  const metaData = JSON.stringify({ uuid: id, instance_id: id, hostname: name, local_hostname: name });
  return {
    label: 'config-2',
    files: {
      'openstack/latest/meta_data.json': Buffer.from(metaData),
      'openstack/latest/user_data': textOf(source.userData, source.userDataBase64) ?? Buffer.from(''),
      ...(network === undefined ? {} : { 'openstack/latest/network_data.json': network }),
    },
  };
}

function textOf(text: string | undefined, base64: string | undefined): Buffer | undefined {
  if (text !== undefined) return Buffer.from(text);
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
