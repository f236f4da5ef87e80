import type { Partially } from '#api/hypersdk/partial';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import type { VMNetwork } from '#api/novacron/vm-network';
import { append } from '#platform/base/append';
import { type Cidr, contains, tryParseCidr } from '#platform/base/cidr';
import { duplicate, type FieldError, index, invalid } from '#platform/base/field-error';
import { formatIp, type IpFamily } from '#platform/base/ip';
import { networkName } from '#vm/admission/names';
import { repeats } from '#vm/admission/repeats';
import { isSame, readAddress, readAddressInBlock, validateHost } from './addresses.ts';

type Interface = Partially<NonNullable<VirtualMachine['spec']['template']['spec']['networks']>[number]>;
type Addressing = NonNullable<Interface['ipv4']>;

/** Finds the network that an interface names, or undefined if it does not exist (yet). */
export type FindNetwork = (name: string) => VMNetwork | undefined;

export function validateInterfaces(
  field: string,
  interfaces: readonly Interface[] = [],
  find: FindNetwork,
): FieldError[] {
  const causes: FieldError[] = [];
  for (let i = 0; i < interfaces.length; i++) {
    append(causes, validateInterface(index(field, i), interfaces[i] as Interface, find));
  }
  append(causes, validateRepeats(field, interfaces, 'ipv4'), validateRepeats(field, interfaces, 'ipv6'));
  return causes;
}

function validateInterface(field: string, { name, type, ipv4, ipv6 }: Interface, find: FindNetwork): FieldError[] {
  const network = name === undefined ? undefined : find(name);
  const causes = networkName(`${field}.name`, name);
  if (network !== undefined && type !== undefined && type !== network.spec.type) {
    causes.push(invalid(`${field}.type`, type, `the VMNetwork ${name} is of type ${network.spec.type}`));
  }
  if (ipv4 !== undefined) append(causes, validateAddressing(`${field}.ipv4`, ipv4, 4, network));
  if (ipv6 !== undefined) append(causes, validateAddressing(`${field}.ipv6`, ipv6, 6, network));
  return causes;
}

function validateAddressing(
  field: string,
  addressing: Addressing,
  family: IpFamily,
  network?: VMNetwork,
): FieldError[] {
  const { method, address, gateway, dns } = addressing;
  const isStatic = method === 'static' && address !== undefined;
  const causes = isStatic ? validateStatic(field, address, gateway, family, network) : [];
  dns?.forEach((server, i) => append(causes, readAddress(index(`${field}.dns`, i), server).causes));
  return causes;
}

function validateStatic(
  field: string,
  address: string,
  gateway: string | undefined,
  family: IpFamily,
  network: VMNetwork | undefined,
): FieldError[] {
  const { value: block, causes } = readAddressInBlock(`${field}.address`, address, family);
  const router = gateway === undefined ? undefined : readAddress(`${field}.gateway`, gateway, family);
  const all = [...causes, ...(router?.causes ?? [])];
  if (block === undefined) return all;
  append(all, validateHost(`${field}.address`, address, block.address, block));
  if (gateway !== undefined && router?.value !== undefined) {
    append(all, validateHost(`${field}.gateway`, gateway, router.value, block));
    if (isSame(router.value, block.address)) {
      all.push(invalid(`${field}.address`, address, 'is the address of the gateway'));
    }
  }
  if (network !== undefined) append(all, validateInNetwork(`${field}.address`, address, block, network));
  return all;
}

/** Validates that the network could have assigned the address. A network without subnets assigns none. */
function validateInNetwork(
  field: string,
  text: string,
  { address }: Cidr,
  { metadata, spec }: VMNetwork,
): FieldError[] {
  const subnets = spec.subnets ?? [];
  if (subnets.length === 0) return [];
  for (const { cidr, gateway } of subnets) {
    const block = tryParseCidr(cidr);
    if (block === undefined || !contains(block, address)) continue;
    if (gateway === formatIp(address)) {
      return [invalid(field, text, `is the address of the gateway of the VMNetwork ${metadata.name}`)];
    }
    return validateHost(field, text, address, block);
  }
  const ranges = subnets.map(({ cidr }) => cidr).join(', ');
  return [invalid(field, text, `must be in a subnet of the VMNetwork ${metadata.name}: ${ranges}`)];
}

function validateRepeats(field: string, interfaces: readonly Interface[], family: 'ipv4' | 'ipv6'): FieldError[] {
  const addressOf = (nic: Interface | undefined) => nic?.[family]?.address;
  let written = 0;
  for (const nic of interfaces) if (addressOf(nic) !== undefined) written++;
  if (written < 2) return [];
  return repeats(interfaces, (nic) => {
    const address = tryParseCidr(addressOf(nic) ?? '')?.address;
    return address === undefined ? undefined : formatIp(address);
  }).map((i) => duplicate(`${index(field, i)}.${family}.address`, addressOf(interfaces[i])));
}
