import {
  type Cidr,
  contains,
  firstHost,
  formatCidr,
  lastHost,
  networkAddress,
  tryParseCidr,
} from '#platform/base/cidr';
import { type FieldError, invalid } from '#platform/base/field-error';
import { type IpAddress, type IpFamily, tryParseIp } from '#platform/base/ip';

const EXAMPLES = {
  4: { address: '10.0.1.10', block: '10.0.1.0/24' },
  6: { address: 'fd00::10', block: 'fd00::/64' },
} as const;

/** Result of parsing a text: the value, or the causes why it is invalid. */
export interface ReadAddress<T> {
  readonly value?: T;
  readonly causes: readonly FieldError[];
}

/** Parses an address, of the given family if any. */
export function readAddress(field: string, text: string, family?: IpFamily): ReadAddress<IpAddress> {
  const value = tryParseIp(text);
  if (value !== undefined && (family === undefined || value.family === family)) return { value, causes: [] };
  return {
    causes: [invalid(field, text, `must be an ${familyName(family)} address such as ${EXAMPLES[family ?? 4].address}`)],
  };
}

/** Parses an address with the prefix length of its subnet. */
export function readAddressInBlock(field: string, text: string, family: IpFamily): ReadAddress<Cidr> {
  const value = tryParseCidr(text);
  if (value?.address.family === family) return { value, causes: [] };
  const { address, block } = EXAMPLES[family];
  const example = `${address}${block.slice(block.indexOf('/'))}`;
  return {
    causes: [invalid(field, text, `must be an ${familyName(family)} address and prefix length such as ${example}`)],
  };
}

/** Parses an address block, which must start at its network address. */
export function readBlock(field: string, text: string): ReadAddress<Cidr> {
  const value = tryParseCidr(text);
  if (value === undefined) {
    return {
      causes: [
        invalid(field, text, `must be a range of addresses such as ${EXAMPLES[4].block} or ${EXAMPLES[6].block}`),
      ],
    };
  }
  const start = networkAddress(value);
  if (start.value === value.address.value) return { value, causes: [] };
  return {
    causes: [invalid(field, text, `must begin at the start of the range: ${formatCidr({ ...value, address: start })}`)],
  };
}

const familyName = (family: IpFamily | undefined) => (family === undefined ? 'IP' : `IPv${family}`);

/** Validates that a host can have an address in a block: it is inside, and neither network nor broadcast address. */
export function validateHost(field: string, text: string, address: IpAddress, block: Cidr): FieldError[] {
  const isEarly = address.value < firstHost(block).value;
  const isLate = address.value > lastHost(block).value;
  if (!isEarly && !isLate && address.family === block.address.family) return [];
  const how = !contains(block, address)
    ? 'must be in'
    : isEarly
      ? 'is the network address of'
      : 'is the broadcast address of';
  return [invalid(field, text, `${how} ${formatCidr({ ...block, address: networkAddress(block) })}`)];
}

export const isSame = (a: IpAddress, b: IpAddress) => a.family === b.family && a.value === b.value;
