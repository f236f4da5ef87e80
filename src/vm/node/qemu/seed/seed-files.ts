import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import type { SeedContents } from './seed-contents.ts';
import { NETWORK_DATA_KEY, USER_DATA_KEY } from './seed-references.ts';
import { sshKeys } from './ssh-keys.ts';

/** Label of a file system by which a guest finds its data, and the files. */
export interface Seed {
  readonly label: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** Labels as KubeVirt writes them. */
const LABELS = { noCloud: 'cidata', configDrive: 'config-2', sysprep: 'unattendCD', files: 'cfgdata' } as const;

/** Returns the seed of a disk, or undefined if its volume is of another kind. */
export function seedOf(disk: MachineDisk, spec: MachineSpec, contents: SeedContents): Seed | undefined {
  const { sysprep, configMap, secret } = disk.volume;
  const filesOf = (kind: 'ConfigMap' | 'Secret', name = '', label: string = LABELS.files): Seed => ({
    label,
    files: contents.entriesOf(kind, name),
  });
  if (configMap !== undefined) return filesOf('ConfigMap', configMap.name, configMap.volumeLabel);
  if (secret !== undefined) return filesOf('Secret', secret.secretName, secret.volumeLabel);
  if (sysprep?.configMap !== undefined) return filesOf('ConfigMap', sysprep.configMap.name, LABELS.sysprep);
  if (sysprep?.secret !== undefined) return filesOf('Secret', sysprep.secret.name, LABELS.sysprep);
  return noCloudSeed(disk, spec, contents) ?? configDriveSeed(disk, spec, contents);
}

/** A guest ignores a NoCloud seed without user data. */
const NO_USER_DATA = Buffer.from('#cloud-config\n');

function noCloudSeed({ volume }: MachineDisk, spec: MachineSpec, contents: SeedContents): Seed | undefined {
  const source = volume.cloudInitNoCloud;
  if (source === undefined) return undefined;
  const network = networkData(source, contents);
  const keys = sshKeys(spec, 'noCloud', contents);
  const metaData = {
    'instance-id': instanceId(spec),
    'local-hostname': hostnameOf(spec),
    ...(keys.length === 0 ? {} : { 'public-keys': byNumber(keys) }),
  };
  return {
    label: LABELS.noCloud,
    files: {
      'meta-data': Buffer.from(`${JSON.stringify(metaData)}\n`),
      'user-data': userData(source, contents) ?? NO_USER_DATA,
      ...(network === undefined ? {} : { 'network-config': network }),
    },
  };
}

function configDriveSeed({ volume }: MachineDisk, spec: MachineSpec, contents: SeedContents): Seed | undefined {
  const source = volume.cloudInitConfigDrive;
  if (source === undefined) return undefined;
  const network = networkData(source, contents);
  const keys = sshKeys(spec, 'configDrive', contents);
  const metaData = {
    uuid: spec.firmware.uuid,
    instance_id: instanceId(spec),
    hostname: hostnameOf(spec),
    local_hostname: hostnameOf(spec),
    ...(keys.length === 0 ? {} : { public_keys: byNumber(keys) }),
  };
  return {
    label: LABELS.configDrive,
    files: {
      'openstack/latest/meta_data.json': Buffer.from(JSON.stringify(metaData)),
      'openstack/latest/user_data': userData(source, contents) ?? Buffer.alloc(0),
      ...(network === undefined ? {} : { 'openstack/latest/network_data.json': network }),
    },
  };
}

/** cloud-init repeats a first boot when this changes. It stays the same for all runs of a VM, whose disks may persist. */
const instanceId = ({ name, namespace }: MachineSpec) => `${name}.${namespace}`;

const hostnameOf = ({ name, hostname }: MachineSpec) => hostname ?? name;

const byNumber = (keys: readonly string[]) => Object.fromEntries(keys.map((key, at) => [`${at}`, key]));

type CloudInit = NonNullable<MachineDisk['volume']['cloudInitNoCloud']>;

function userData({ userData: text, userDataBase64, secretRef }: CloudInit, contents: SeedContents) {
  return inlineData(text, userDataBase64) ?? secretData(secretRef?.name, USER_DATA_KEY, contents);
}

function networkData(source: CloudInit, contents: SeedContents): Buffer | undefined {
  const { networkData: text, networkDataBase64, networkDataSecretRef } = source;
  return inlineData(text, networkDataBase64) ?? secretData(networkDataSecretRef?.name, NETWORK_DATA_KEY, contents);
}

/** Empty text counts as none, as in admission. */
function inlineData(text = '', base64 = ''): Buffer | undefined {
  if (text !== '') return Buffer.from(text);
  return base64 === '' ? undefined : Buffer.from(base64, 'base64');
}

function secretData(name: string | undefined, wanted: string, contents: SeedContents): Buffer | undefined {
  if (name === undefined) return undefined;
  const entries = Object.entries(contents.entriesOf('Secret', name));
  return entries.find(([key]) => key.toLowerCase() === wanted)?.[1];
}
