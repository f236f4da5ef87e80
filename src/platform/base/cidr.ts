import { ParseError } from './errors.ts';
import { addressBits, formatIp, type IpAddress, tryParseIp } from './ip.ts';

/** A block of addresses: those that share the first `prefix` bits with `address`, which may lie anywhere in it. */
export interface Cidr {
  readonly address: IpAddress;
  readonly prefix: number;
}

/** Reads a block such as 10.0.0.0/8 or fd00::/64. */
export function parseCidr(text: string): Cidr {
  const cidr = tryParseCidr(text);
  if (cidr === undefined) {
    throw new ParseError(`"${text}" is not a CIDR`, {
      hint: 'write an address and a prefix length: 10.0.0.0/8 or fd00::/64',
    });
  }
  return cidr;
}

/** Reads a block, or returns undefined where the text is none. */
export function tryParseCidr(text: string): Cidr | undefined {
  const [addressText = '', prefixText = '', ...rest] = text.split('/');
  const address = tryParseIp(addressText);
  if (address === undefined || rest.length > 0 || !/^(?:0|[1-9][0-9]{0,2})$/.test(prefixText)) return undefined;
  const prefix = Number(prefixText);
  return prefix <= addressBits(address.family) ? { address, prefix } : undefined;
}

/** Prints a block as it was given: the address is not moved to the start. */
export function formatCidr({ address, prefix }: Cidr): string {
  return `${formatIp(address)}/${prefix}`;
}

/** How many addresses the block has, the network and broadcast ones included. */
export function addressCount(cidr: Cidr): bigint {
  return 1n << BigInt(addressBits(cidr.address.family) - cidr.prefix);
}

/** The first address, which names the network. */
export function networkAddress(cidr: Cidr): IpAddress {
  const { family, value } = cidr.address;
  return { family, value: value - (value % addressCount(cidr)) };
}

/** The last address; in IPv4 the one that reaches all hosts. */
export function broadcastAddress(cidr: Cidr): IpAddress {
  return { family: cidr.address.family, value: networkAddress(cidr).value + addressCount(cidr) - 1n };
}

/**
 * The first address that a host can have: after the network address, except in blocks of one or two addresses
 * (RFC 3021, RFC 6164), where all are for hosts.
 */
export function firstHost(cidr: Cidr): IpAddress {
  const { family, value } = networkAddress(cidr);
  return { family, value: addressCount(cidr) > 2n ? value + 1n : value };
}

/** The last address that a host can have; IPv6 has no broadcast address to spare. */
export function lastHost(cidr: Cidr): IpAddress {
  const { family, value } = broadcastAddress(cidr);
  return { family, value: family === 4 && addressCount(cidr) > 2n ? value - 1n : value };
}

/** Whether the address lies in the block; never across families. */
export function contains(cidr: Cidr, ip: IpAddress): boolean {
  return (
    ip.family === cidr.address.family && networkAddress(cidr).value === networkAddress({ ...cidr, address: ip }).value
  );
}

/** Whether the blocks share an address: one of two blocks then holds the other. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.prefix <= b.prefix ? contains(a, b.address) : contains(b, a.address);
}
