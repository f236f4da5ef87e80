import { formatIp, tryParseIp } from '#platform/base/ip';

/** Network that user networking offers a guest: its DHCP server assigns the given address. */
export interface GuestNetwork {
  readonly range: string;
  readonly gateway: string;
  readonly dns: string;
  readonly address: string;
}

const PREFIXES = [24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8];

/**
 * Returns the smallest network of at least 256 addresses in which an address is neither the first nor the last one.
 * Undefined if it is no IPv4 address, or there is no such network.
 */
export function guestNetwork(address: string): GuestNetwork | undefined {
  const parsed = tryParseIp(address);
  if (parsed?.family !== 4) return undefined;
  for (const prefix of PREFIXES) {
    const size = 2n ** BigInt(32 - prefix);
    const first = parsed.value - (parsed.value % size);
    if (parsed.value === first || parsed.value === first + size - 1n) continue;
    const format = (value: bigint) => formatIp({ family: 4, value });
    const [gateway, dns] = [1n, 2n, 3n].map((at) => first + at).filter((value) => value !== parsed.value);
    return {
      range: `${format(first)}/${prefix}`,
      gateway: format(gateway ?? 0n),
      dns: format(dns ?? 0n),
      address: format(parsed.value),
    };
  }
  return undefined;
}
