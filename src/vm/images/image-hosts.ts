import { matchesHost } from '#platform/base/allowed-hosts';
import { type Cidr, contains, tryParseCidr } from '#platform/base/cidr';
import { addressBits, type IpAddress, tryParseIp } from '#platform/base/ip';
import { specialUse, withoutCarrier } from '#platform/base/special-address';

/** Image servers that are allowed at addresses that are not public. */
export interface ImageHosts {
  readonly names: readonly string[];
  readonly blocks: readonly Cidr[];
}

/** Parses names, `*.example.org`, addresses and CIDRs. */
export function parseImageHosts(list: readonly string[]): ImageHosts {
  const blocks = list.map(blockOf);
  return {
    names: list.filter((_, i) => blocks[i] === undefined),
    blocks: blocks.filter((block) => block !== undefined),
  };
}

function blockOf(text: string): Cidr | undefined {
  const address = tryParseIp(text);
  return address === undefined ? tryParseCidr(text) : { address, prefix: addressBits(address.family) };
}

/** Reports whether an image may be fetched from a host at this address. */
export function isImageAddress(host: string, address: IpAddress, { names, blocks }: ImageHosts): boolean {
  if (specialUse(address) === undefined) return true;
  if (matchesHost(host.toLowerCase().replace(/\.$/, ''), names)) return true;
  return blocks.some((block) => contains(block, address) || contains(block, withoutCarrier(address)));
}
