import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { tryParseCidr } from '#platform/base/cidr';
import { type FieldError, invalid, notFound, required } from '#platform/base/field-error';

type Networks = NonNullable<InstanceSpec['networks']>;
type Network = Networks[number];

const SOURCES = ['pod', 'multus', 'resourceClaim'] as const;
const NAME = /^[A-Za-z0-9_-]+$/;

/** Validates networks: one source each, an interface for each, and at most one default network. */
export function validateNetwork({ networks = [], domain }: InstanceSpec, path: string): FieldError[] {
  const causes: FieldError[] = [];
  const interfaces = new Set((domain.devices.interfaces ?? []).map(({ name }) => name));
  for (const [i, network] of networks.entries()) {
    const at = `${path}.networks[${i}]`;
    append(
      causes,
      validateNetworkName(`${at}.name`, network.name),
      validateSource(network, at),
      validateRange(network, at),
    );
    if (!interfaces.has(network.name)) {
      causes.push(invalid(`${at}.name`, network.name, 'no interface has this name'));
    }
  }
  return [...causes, ...validateFirstNetwork(networks, `${path}.networks`)];
}

export function validateNetworkName(field: string, name: string): FieldError[] {
  if (NAME.test(name)) return [];
  return [invalid(field, name, 'can only contain alphabetical characters, numbers, dashes (-) or underscores (_)')];
}

function validateSource(network: Network, at: string): FieldError[] {
  const sources = SOURCES.filter((source) => source in network);
  if (sources.length === 0) return [required(at, 'should have a network type: pod or multus')];
  if (sources.length > 1) return [invalid(at, sources.join(', '), 'should have only one network type')];
  const name = network.multus?.networkName;
  if (name === undefined || /^[^/]+(\/[^/]+)?$/.test(name)) return [];
  return [invalid(`${at}.multus.networkName`, name, 'must be a name, or namespace/name')];
}

function validateRange({ pod }: Network, at: string): FieldError[] {
  const causes: FieldError[] = [];
  const v4 = pod?.vmNetworkCIDR;
  if (v4 !== undefined && tryParseCidr(v4)?.address.family !== 4) {
    causes.push(invalid(`${at}.pod.vmNetworkCIDR`, v4, 'must be an IPv4 range, such as 10.0.2.0/24'));
  }
  const v6 = pod?.vmIPv6NetworkCIDR;
  if (v6 !== undefined && tryParseCidr(v6)?.address.family !== 6) {
    causes.push(invalid(`${at}.pod.vmIPv6NetworkCIDR`, v6, 'must be an IPv6 range, such as fd10:0:2::/120'));
  }
  return causes;
}

/** The pod network and a multus network marked default would both be the default. */
function validateFirstNetwork(networks: Networks, at: string): FieldError[] {
  const pods = networks.filter(({ pod }) => pod !== undefined).length;
  const defaults = networks.filter(({ multus }) => multus?.default === true).length;
  const causes: FieldError[] = [];
  if (pods > 1) causes.push(invalid(at, pods, 'more than one interface is connected to a pod network'));
  if (defaults > 1) causes.push(invalid(at, defaults, 'Multus CNI should only have one default network'));
  if (pods > 0 && defaults > 0) {
    causes.push(invalid(at, pods + defaults, 'Pod network cannot be defined when Multus default network is defined'));
  }
  return causes;
}

/** Reports whether the guest is on the pod network, which a spec without networks gets by default. */
export function hasPodNetwork({ networks = [], domain }: InstanceSpec): boolean {
  if (networks.length === 0) return domain.devices.autoattachPodInterface !== false;
  return networks.some(({ pod, multus }) => pod !== undefined || multus?.default === true);
}

/** Validates that the network of each interface exists. */
export function missingNetworks({ networks = [], domain }: InstanceSpec, path: string): FieldError[] {
  const names = new Set(networks.map(({ name }) => name));
  return (domain.devices.interfaces ?? []).flatMap(({ name }, i) =>
    names.has(name) ? [] : [notFound(`${path}.domain.devices.interfaces[${i}].name`, name)],
  );
}
