import { addressCount, formatCidr, networkAddress, tryParseCidr } from '#platform/base/cidr';

/** Smallest number of addresses that a range of services may have, as in kube-apiserver. */
const MIN_ADDRESSES = 8n;
const MIN_PREFIX = 12;

/** Returns why a text is no range for the addresses of services, undefined if it is one. */
export function serviceRangeProblem(text: string): string | undefined {
  const cidr = tryParseCidr(text);
  if (cidr === undefined || cidr.address.family !== 4) return 'It must be an IPv4 CIDR such as 10.0.0.0/24.';
  const network = formatCidr({ address: networkAddress(cidr), prefix: cidr.prefix });
  if (network !== text) return `Its address must be the first of the range: ${network}.`;
  if (cidr.prefix < MIN_PREFIX) return `It is too large: its prefix must be at least /${MIN_PREFIX}.`;
  if (addressCount(cidr) < MIN_ADDRESSES) return 'It is too small: it needs at least 8 addresses (/29).';
  return undefined;
}
