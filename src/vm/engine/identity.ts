import { IDENTITY_ANNOTATION } from '#api/instance-request';
import type { InstanceSpec, VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { tryParseMac } from '#platform/base/mac';
import { memoize } from '#platform/base/memoize';
import { seededRandom } from '#platform/base/random';
import type { AddressPool } from './address-pool.ts';
import type { Identity, InterfaceIdentity } from './dialect.ts';

interface NetworkInterface {
  readonly name: string;
  /** The hardware address that the spec asks for. */
  readonly mac?: string;
  /** Whether it is on the network of pods, where addresses are ours to give. */
  readonly onPodNetwork: boolean;
}

/** The card that a machine has where its spec names none. */
const DEFAULT_INTERFACE: NetworkInterface = { name: 'default', onPodNetwork: true };

/** The network cards of a machine. */
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

/** A hardware address that follows from whose it is: for one machine alone, and of nobody's make. */
export function macOf(owner: string, iface: string): string {
  const bytes = seededRandom(`mac/${owner}/${iface}`).hex(12).match(/../g) ?? [];
  const first = (Number.parseInt(bytes[0] ?? '', 16) & 0xfc) | 0x02;
  return [first.toString(16).padStart(2, '0'), ...bytes.slice(1)].join(':');
}

export interface AssignedIdentity {
  readonly identity: Identity;
  /** Cards for which no address was left. */
  readonly without: readonly string[];
}

/** The addresses that a machine starts with: those that it had, and new ones for cards that are new. */
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

/** The addresses that an instance was made with; none where it has none, or none that can be read. */
export function identityOf({ metadata }: Pick<VirtualMachineInstance, 'metadata'>): Identity {
  const text = metadata.annotations?.[IDENTITY_ANNOTATION];
  return text === undefined ? NONE : known(text);
}

const NONE: Identity = {};

export function formatIdentity(identity: Identity): string {
  return JSON.stringify(identity);
}

/** An instance is looked at many times while it starts. */
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

/** All addresses of an identity, for an index by address. */
export function addressesOf(identity: Identity): string[] {
  return Object.values(identity).flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
}

/** Who holds the addresses of an instance: the machine that it belongs to, or it alone. */
export function holderOf({ metadata }: Pick<VirtualMachineInstance, 'metadata'>): string {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? metadata.uid;
}
