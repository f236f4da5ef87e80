import type { VMNetwork } from '#api/novacron/vm-network';
import { type Cidr, overlaps, tryParseCidr } from '#platform/base/cidr';
import { duplicate, type FieldError, index, invalid } from '#platform/base/field-error';
import { tryParseIp } from '#platform/base/ip';
import { repeats } from '#vm/admission/repeats';
import { readAddress, readBlock, validateHost } from './addresses.ts';

type Subnet = NonNullable<VMNetwork['spec']['subnets']>[number];
type Dhcp = NonNullable<Subnet['dhcp']>;

export function validateSubnets(field: string, subnets: readonly Subnet[] = []): FieldError[] {
  return [
    ...subnets.flatMap((subnet, i) => validateSubnet(index(field, i), subnet)),
    ...subnets.flatMap((subnet, i) => validateOverlap(`${index(field, i)}.cidr`, subnet, subnets.slice(0, i))),
  ];
}

function validateSubnet(field: string, { cidr, gateway, dhcp = { enabled: false } }: Subnet): FieldError[] {
  const { value: block, causes } = readBlock(`${field}.cidr`, cidr);
  return [
    ...causes,
    ...(gateway === undefined ? [] : validateIn(`${field}.gateway`, gateway, block)),
    ...(dhcp.range === undefined ? [] : validateRange(`${field}.dhcp.range`, dhcp.range, block)),
    ...validateOptions(`${field}.dhcp.options`, dhcp.options),
  ];
}

/** Validates an address, and that it is in its subnet if the subnet is valid. */
function validateIn(field: string, text: string, block: Cidr | undefined): FieldError[] {
  const { value, causes } = readAddress(field, text);
  return value === undefined || block === undefined ? [...causes] : validateHost(field, text, value, block);
}

function validateRange(
  field: string,
  { start, end }: NonNullable<Dhcp['range']>,
  block: Cidr | undefined,
): FieldError[] {
  const [first, last] = [tryParseIp(start), tryParseIp(end)];
  return [
    ...validateIn(`${field}.start`, start, block),
    ...validateIn(`${field}.end`, end, block),
    ...(first !== undefined && last !== undefined && last.value < first.value
      ? [invalid(`${field}.end`, end, `must not be before start, ${start}`)]
      : []),
  ];
}

function validateOptions(field: string, options: Dhcp['options'] = []): FieldError[] {
  return [
    ...repeats(options, ({ name }) => name).map((i) => duplicate(`${index(field, i)}.name`, options[i]?.name)),
    ...options.flatMap(({ name, value }, i) =>
      name === 'dns-server' && value.split(',').some((server) => tryParseIp(server.trim()) === undefined)
        ? [invalid(`${index(field, i)}.value`, value, 'must be IP addresses separated by commas')]
        : [],
    ),
  ];
}

function validateOverlap(field: string, { cidr }: Subnet, others: readonly Subnet[]): FieldError[] {
  const block = tryParseCidr(cidr);
  if (block === undefined) return [];
  return others.flatMap((other) => {
    const range = tryParseCidr(other.cidr);
    return range !== undefined && overlaps(block, range)
      ? [invalid(field, cidr, `overlaps subnet ${other.name}, ${other.cidr}`)]
      : [];
  });
}

/** Returns warnings for a gateway within the range, which is only excluded from it. */
export function subnetWarnings(field: string, subnets: readonly Subnet[] = []): string[] {
  return subnets.flatMap(({ gateway = '', dhcp }, i) => {
    const [router, first, last] = [gateway, dhcp?.range?.start ?? '', dhcp?.range?.end ?? ''].map(tryParseIp);
    const within = router && first && last && router.value >= first.value && router.value <= last.value;
    return within ? [`${index(field, i)}.gateway is in the DHCP range and is never assigned to a VM`] : [];
  });
}
