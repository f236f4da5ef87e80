/** Network between a machine's namespace and slirp4netns. It is reserved for documentation, so that no host uses it. */
export const OUTBOUND_RANGE = '198.51.100.0/24';
/** Address at which slirp4netns forwards DNS queries to the resolver of the host. */
export const OUTBOUND_DNS = '198.51.100.3';

/** Ranges that lead to a host, its network or a cloud's metadata service: private, shared, link-local, multicast. */
const NOT_PUBLIC = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Metadata services of clouds that have public addresses. */
const METADATA = ['168.63.129.16/32'];

/** Returns the ranges that guests must not reach. `addresses` are the IPv4 addresses of the host itself. */
export function blockedRanges(addresses: readonly string[]): string[] {
  const own = addresses.filter((address) => !address.startsWith('127.')).map((address) => `${address}/32`);
  return [...new Set([...NOT_PUBLIC, ...METADATA, ...own])];
}
