import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { duplicate, type FieldError, invalid } from '#platform/base/field-error';
import { isMulticastMac, tryParseMac } from '#platform/base/mac';
import { validateNetworkName } from './networks.ts';

type Interface = NonNullable<InstanceSpec['domain']['devices']['interfaces']>[number];

const BINDINGS = ['bridge', 'masquerade', 'sriov', 'binding', 'passtBinding', 'slirp', 'macvtap', 'passt'] as const;

/** Validates each interface, and the uniqueness of their MAC addresses. */
export function validateInterface({ domain, networks = [] }: InstanceSpec, path: string): FieldError[] {
  const causes: FieldError[] = [];
  const addresses = new Set<string>();
  for (const [i, iface] of (domain.devices.interfaces ?? []).entries()) {
    const at = `${path}.domain.devices.interfaces[${i}]`;
    append(causes, validateNetworkName(`${at}.name`, iface.name), validateBinding(iface, at), validatePort(iface, at));
    const network = networks.find(({ name }) => name === iface.name);
    if (iface.masquerade !== undefined && network?.multus !== undefined && network.multus.default !== true) {
      causes.push(invalid(`${at}.masquerade`, iface.name, 'Masquerade interface only implemented with pod network'));
    }
    if (iface.macAddress !== undefined) append(causes, validateMac(`${at}.macAddress`, iface.macAddress, addresses));
  }
  return causes;
}

function validateBinding(iface: Interface, at: string): FieldError[] {
  const bindings = BINDINGS.filter((binding) => binding in iface);
  if (bindings.length < 2) return [];
  return [invalid(at, bindings.join(', '), 'cannot have more than one interface type')];
}

/** Validates a MAC address. `taken` holds those of earlier interfaces, and a valid one is added to it. */
function validateMac(field: string, written: string, taken: Set<string>): FieldError[] {
  const mac = tryParseMac(written);
  if (mac === undefined) {
    return [invalid(field, written, 'malformed MAC address, must be like 02:00:5e:10:00:01')];
  }
  if (isMulticastMac(mac)) {
    return [invalid(field, written, 'must be a unicast address: the first byte must be even')];
  }
  if (taken.has(mac)) return [duplicate(field, written)];
  taken.add(mac);
  return [];
}

function validatePort({ ports = [] }: Interface, at: string): FieldError[] {
  const names = new Set<string>();
  const causes: FieldError[] = [];
  for (const [i, { name }] of ports.entries()) {
    if (name === undefined || name === '') continue;
    if (names.has(name)) causes.push(duplicate(`${at}.ports[${i}].name`, name));
    names.add(name);
  }
  return causes;
}
