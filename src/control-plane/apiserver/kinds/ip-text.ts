import { networkAddress, tryParseCidr } from '#platform/base/cidr';
import { formatIp, type IpAddress, tryParseIp } from '#platform/base/ip';

const BAD_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const BAD_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/**
 * Removes leading zeros. Some programs read 010 as eight, so new addresses with them are rejected with a clear reason.
 */
function withoutLeadingZeros(text: string): string {
  return text.replaceAll(/(^|[./])0+(?=\d)/g, '$1');
}

/** Parses an address as leniently as Kubernetes once did. */
export function parseLoosely(text: string): IpAddress | undefined {
  return tryParseIp(withoutLeadingZeros(text));
}

function isMapped(text: string): boolean {
  const ip = tryParseIp(text);
  return ip?.family === 6 && ip.value >> 32n === 0xffffn;
}

/** Returns the problems of an address. */
export function ipProblems(text: string): string[] {
  if (isMapped(text)) return ['must not be an IPv4-mapped IPv6 address'];
  if (tryParseIp(text) !== undefined) return [];
  return [parseLoosely(text) === undefined ? BAD_IP : 'must not have leading 0s'];
}

/** Returns the problems of an address as a name, which must be in canonical form. */
export function ipNameProblems(text: string): string[] {
  const problems = ipProblems(text);
  const ip = tryParseIp(text);
  if (problems.length > 0 || ip === undefined || formatIp(ip) === text) return problems;
  return [`must be in canonical form ("${formatIp(ip)}")`];
}

/** Returns the problems of a CIDR. */
export function cidrProblems(text: string): string[] {
  const cidr = tryParseCidr(text);
  if (cidr === undefined) {
    const meant = tryParseCidr(withoutLeadingZeros(text));
    return [meant === undefined ? BAD_CIDR : 'must not have leading 0s in IP or prefix length'];
  }
  if (isMapped(text.split('/')[0] ?? '')) return ['must not have an IPv4-mapped IPv6 address'];
  return networkAddress(cidr).value === cidr.address.value ? [] : ['must not have bits set beyond the prefix length'];
}
