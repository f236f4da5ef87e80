import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import type { ObjectReference } from '../../node-objects.ts';

/** Object whose contents a machine gets at its first boot, and the field that names it. */
export interface SeedReference extends ObjectReference {
  readonly field: string;
  /** The machine starts without an optional object that does not exist. */
  readonly optional?: boolean;
  /** Keys of which the object must have one, in lower case. */
  readonly needs?: readonly string[];
}

/** Keys of Secrets for cloud-init, and names of answer files, which are found in any case. */
export const USER_DATA_KEY = 'userdata';
export const NETWORK_DATA_KEY = 'networkdata';
const ANSWER_FILES = ['autounattend.xml', 'unattend.xml'];

type Reference = Pick<SeedReference, 'kind' | 'field' | 'optional' | 'needs'> & { readonly name: string | undefined };

/** Returns all objects that the first boot of a machine needs, in its own namespace. */
export function seedReferences(spec: MachineSpec): SeedReference[] {
  const { namespace, disks, accessCredentials = [] } = spec;
  const keys = accessCredentials.map(({ sshPublicKey }, at): Reference => {
    const name = sshPublicKey?.source.secret?.secretName;
    return { kind: 'Secret', field: `accessCredentials[${at}].sshPublicKey`, name };
  });
  return [...disks.flatMap(volumeReferences), ...keys].flatMap(({ name, ...reference }) =>
    name === undefined ? [] : [{ ...reference, namespace, name }],
  );
}

function volumeReferences({ volume }: MachineDisk): Reference[] {
  const { sysprep, configMap, secret } = volume;
  const at = `volume ${volume.name}`;
  const needs = ANSWER_FILES;
  return [
    ...cloudInitReferences(volume, at),
    { kind: 'ConfigMap', field: `${at}: sysprep.configMap`, name: sysprep?.configMap?.name, needs },
    { kind: 'Secret', field: `${at}: sysprep.secret`, name: sysprep?.secret?.name, needs },
    { kind: 'ConfigMap', field: `${at}: configMap`, name: configMap?.name, optional: configMap?.optional ?? false },
    { kind: 'Secret', field: `${at}: secret`, name: secret?.secretName, optional: secret?.optional ?? false },
  ];
}

/** One Secret may hold user data and network data, of which it then needs only one. */
function cloudInitReferences({ cloudInitNoCloud, cloudInitConfigDrive }: MachineDisk['volume'], at: string) {
  const { secretRef, networkDataSecretRef } = cloudInitNoCloud ?? cloudInitConfigDrive ?? {};
  const field = `${at}: ${cloudInitNoCloud === undefined ? 'cloudInitConfigDrive' : 'cloudInitNoCloud'}`;
  const isOne = secretRef?.name === networkDataSecretRef?.name;
  const both = [USER_DATA_KEY, NETWORK_DATA_KEY];
  return [
    { name: secretRef?.name, field: `${field}.secretRef`, needs: isOne ? both : [USER_DATA_KEY] },
    {
      name: networkDataSecretRef?.name,
      field: `${field}.networkDataSecretRef`,
      needs: isOne ? both : [NETWORK_DATA_KEY],
    },
  ].map((reference): Reference => ({ kind: 'Secret', ...reference }));
}
