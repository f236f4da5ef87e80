import { IDENTITY_ANNOTATION } from '#api/instance-request';
import type { InstanceSpec, VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { tryParseMac } from '#platform/base/mac';
import { memoize } from '#platform/base/memoize';
import { seededRandom } from '#platform/base/random';
import type { AddressPool } from './address-pool.ts';
import type { Identity, InterfaceIdentity } from './dialect.ts';

interface NetworkInterface {
  readonly name: string;
  /** MAC address requested by the spec. */
  readonly mac?: string;
  /** The interface is on the pod network, where Vimana assigns addresses. */
  readonly onPodNetwork: boolean;
}

/** Interface of a VM whose spec names none. */
const DEFAULT_INTERFACE: NetworkInterface = { name: 'default', onPodNetwork: true };

function interfacesOf({ domain, networks = [] }: InstanceSpec): readonly NetworkInterface[] {
  const { interfaces = [], autoattachPodInterface = true } = domain.devices;
  if (interfaces.length === 0) return autoattachPodInterface ? [DEFAULT_INTERFACE] : [];
  return interfaces.map(({ name, macAddress }) => {
    const network = networks.find((each) => each.name === name);
    const mac = macAddress === undefined ? undefined : tryParseMac(macAddress);
    const onPodNetwork = network === undefined ? networks.length === 0 : network.multus === undefined;
    return { name, onPodNetwork, ...(mac === undefined ? {} : { mac }) };
  });
}

/** Derives a locally administered MAC address from its owner, so that it is specific to one VM. */
export function macOf(owner: string, iface: string): string {
  const bytes = seededRandom(`mac/${owner}/${iface}`).hex(12).match(/../g) ?? [];
  const first = (Number.parseInt(bytes[0] ?? '', 16) & 0xfc) | 0x02;
  return [first.toString(16).padStart(2, '0'), ...bytes.slice(1)].join(':');
}

export interface AssignedIdentity {
  readonly identity: Identity;
  /** Interfaces for which no address was free. */
  readonly without: readonly string[];
}

/** Assigns the addresses for a start: existing ones are retained, new interfaces get new ones. */
export function assignIdentity(
  spec: InstanceSpec,
  owner: string,
  known: Identity,
  pool: AddressPool,
): AssignedIdentity {
  const identity: Record<string, InterfaceIdentity> = {};
  const without: string[] = [];
  for (const { name, mac, onPodNetwork } of interfacesOf(spec)) {
    const before = known[name];
    const ip = onPodNetwork ? pool.take(owner, name, before?.ip) : undefined;
    if (onPodNetwork && ip === undefined) without.push(name);
    identity[name] = { mac: mac ?? before?.mac ?? macOf(owner, name), ...(ip === undefined ? {} : { ip }) };
  }
  pool.retain(owner, addressesOf(identity));
  return { identity, without };
}

/** Returns the addresses that an instance was created with, or none if they are missing or unreadable. */
export function identityOf({ metadata }: Pick<VirtualMachineInstance, 'metadata'>): Identity {
  const text = metadata.annotations?.[IDENTITY_ANNOTATION];
  return text === undefined ? NONE : known(text);
}

const NONE: Identity = {};

export function formatIdentity(identity: Identity): string {
  return JSON.stringify(identity);
}

/** Caches the result, since an instance is observed many times while it starts. */
const known = memoize(4096, parseIdentity);

function parseIdentity(text: string): Identity {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return NONE;
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return NONE;
  const ifaces: Record<string, InterfaceIdentity> = {};
  for (const [name, iface] of Object.entries(read as Record<string, { mac?: unknown; ip?: unknown } | null>)) {
    const { mac, ip } = iface ?? {};
    if (typeof mac === 'string') ifaces[name] = { mac, ...(typeof ip === 'string' ? { ip } : {}) };
  }
  return ifaces;
}

/** Returns all IP addresses of an identity, for an index by address. */
export function addressesOf(identity: Identity): string[] {
  return Object.values(identity).flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
}

/** Returns the holder of an instance's addresses: the VM that owns it, or the instance itself. */
export function holderOf({ metadata }: Pick<VirtualMachineInstance, 'metadata'>): string {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? metadata.uid;
}
