import type { Network } from '#api/hypersdk/network';
import type { Partially } from '#api/hypersdk/partial';
import { duplicate, type FieldError, index, invalid } from '#platform/base/field-error';
import { label, networkName } from '#vm/admission/names';
import { repeats } from '#vm/admission/repeats';
import { portName } from '../ports.ts';

type Networks = readonly Partially<Network>[];
type Ports = NonNullable<Partially<Network>['ports']>;

const MAC = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4}$/;

export function validateNetworks(field: string, networks: Networks = []): FieldError[] {
  const repeatedMacs = repeats(networks, ({ macAddress }) => macAddress?.toLowerCase().replaceAll('-', ':'));
  // A pod has one interface on the pod network, and so has its VM. The type defaults to pod-network.
  const furtherPodNetworks = repeats(networks, ({ type = 'pod-network' }) =>
    type === 'pod-network' ? type : undefined,
  );
  return [
    ...networks.flatMap((network, i) => validateNetwork(index(field, i), network)),
    ...repeatedMacs.map((i) => duplicate(`${index(field, i)}.macAddress`, networks[i]?.macAddress)),
    ...furtherPodNetworks.map((i) =>
      invalid(`${index(field, i)}.type`, 'pod-network', 'only one network of a VM can be the pod network'),
    ),
  ];
}

function validateNetwork(field: string, network: Partially<Network>): FieldError[] {
  const { name, multusNetworkName, macAddress, ports } = network;
  return [
    ...label(`${field}.name`, name),
    ...networkName(`${field}.multusNetworkName`, multusNetworkName),
    ...validateMac(`${field}.macAddress`, macAddress),
    ...validatePorts(`${field}.ports`, ports),
  ];
}

/** A Service accepts neither a name nor a port with its protocol twice. */
function validatePorts(field: string, ports: Ports = []): FieldError[] {
  const repeatedNames = repeats(ports, portName);
  const repeatedPorts = repeats(ports, ({ port, protocol = 'TCP' }) => `${port}/${protocol}`);
  return [
    ...ports.flatMap(({ name }, i) => label(`${index(field, i)}.name`, name)),
    ...repeatedNames.map((i) => duplicate(`${index(field, i)}.name`, portName(ports[i] ?? {}))),
    ...repeatedPorts.map((i) => duplicate(`${index(field, i)}.port`, ports[i]?.port)),
  ];
}

function validateMac(field: string, value: string | undefined): FieldError[] {
  if (value === undefined) return [];
  if (!MAC.test(value)) {
    return [invalid(field, value, 'must be six pairs of hexadecimal digits such as 02:00:00:12:34:56')];
  }
  const isGroup = Number.parseInt(value.slice(0, 2), 16) % 2 === 1;
  if (isGroup) return [invalid(field, value, 'must be a unicast address: the first pair must be even')];
  return /[1-9a-fA-F]/.test(value) ? [] : [invalid(field, value, 'must not be all zeros')];
}

/** Returns warnings for network settings that have no effect. */
export function networkWarnings(field: string, networks: Networks = []): string[] {
  return networks.flatMap(({ type, multusNetworkName, ports = [] }, i) => [
    ...(multusNetworkName !== undefined && type !== undefined && type !== 'multus'
      ? [`${index(field, i)}.multusNetworkName is ignored: the network is of type ${type}`]
      : []),
    ...(ports.length > 0 && type !== undefined && type !== 'pod-network'
      ? [`${index(field, i)}.ports is ignored: a Service does not reach a network of type ${type}`]
      : []),
  ]);
}
