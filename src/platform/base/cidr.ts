import { ParseError } from './errors.ts';
import { addressBits, formatIp, type IpAddress, tryParseIp } from './ip.ts';

/** Block of addresses that share the first `prefix` bits with `address`, which may lie anywhere in the block. */
export interface Cidr {
  readonly address: IpAddress;
  readonly prefix: number;
}

/** Parses a block such as 10.0.0.0/8 or fd00::/64. */
export function parseCidr(text: string): Cidr {
  const cidr = tryParseCidr(text);
  if (cidr === undefined) {
    throw new ParseError(`"${text}" is not a CIDR`, {
      hint: 'write an address and a prefix length: 10.0.0.0/8 or fd00::/64',
    });
  }
  return cidr;
}

/** Parses a block, or returns undefined if the text is not a block. */
export function tryParseCidr(text: string): Cidr | undefined {
  const [addressText = '', prefixText = '', ...rest] = text.split('/');
  const address = tryParseIp(addressText);
  if (address === undefined || rest.length > 0 || !/^(?:0|[1-9][0-9]{0,2})$/.test(prefixText)) return undefined;
  const prefix = Number(prefixText);
  return prefix <= addressBits(address.family) ? { address, prefix } : undefined;
}

/** Formats a block as it was given, without moving the address to the start. */
export function formatCidr({ address, prefix }: Cidr): string {
  return `${formatIp(address)}/${prefix}`;
}

/** Returns the number of addresses in the block, including the network and broadcast addresses. */
export function addressCount(cidr: Cidr): bigint {
  return 1n << BigInt(addressBits(cidr.address.family) - cidr.prefix);
}

/** Returns the first address, which names the network. */
export function networkAddress(cidr: Cidr): IpAddress {
  const { family, value } = cidr.address;
  return { family, value: value - (value % addressCount(cidr)) };
}

/** Returns the last address, which in IPv4 reaches all hosts. */
export function broadcastAddress(cidr: Cidr): IpAddress {
  return { family: cidr.address.family, value: networkAddress(cidr).value + addressCount(cidr) - 1n };
}

/**
 * Returns the first address that a host can have. It follows the network address, except in blocks of one or two
 * addresses (RFC 3021, RFC 6164), where all are for hosts.
 */
export function firstHost(cidr: Cidr): IpAddress {
  const { family, value } = networkAddress(cidr);
  return { family, value: addressCount(cidr) > 2n ? value + 1n : value };
}

/** Returns the last address that a host can have. IPv6 has no broadcast address to leave out. */
export function lastHost(cidr: Cidr): IpAddress {
  const { family, value } = broadcastAddress(cidr);
  return { family, value: family === 4 && addressCount(cidr) > 2n ? value - 1n : value };
}

/** Reports whether the address lies in the block. Addresses of another family never do. */
export function contains(cidr: Cidr, ip: IpAddress): boolean {
  return (
    ip.family === cidr.address.family && networkAddress(cidr).value === networkAddress({ ...cidr, address: ip }).value
  );
}

/** Reports whether the blocks share an address, in which case one contains the other. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.prefix <= b.prefix ? contains(a, b.address) : contains(b, a.address);
}
