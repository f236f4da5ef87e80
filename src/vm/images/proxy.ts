import { type Cidr, contains, tryParseCidr } from '#platform/base/cidr';
import { tryParseIp } from '#platform/base/ip';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy for a URL by the customary variables of the environment, or undefined for a direct connection. */
export function proxyFor(url: URL, environment: Environment): string | undefined {
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name];
  const proxy = url.protocol === 'https:' ? read('HTTPS_PROXY') : environment['http_proxy'];
  if (proxy === undefined || proxy === '' || isExcluded(url, read('NO_PROXY') ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** Reports whether NO_PROXY names the host: by its name, a domain above it, its address or a CIDR, or with `*`. */
function isExcluded(url: URL, list: string): boolean {
  const host = url.hostname.replaceAll(/[[\]]/g, '').replace(/\.$/, '');
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return list.split(',').some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  const address = tryParseIp(host);
  const block: Cidr | undefined = tryParseCidr(entry);
  if (block !== undefined) return address !== undefined && contains(block, address);
  if (tryParseIp(entry) !== undefined) return entry === host;
  const [, name = '', onPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (onPort !== undefined && onPort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return host === domain || host.endsWith(`.${domain}`);
}
