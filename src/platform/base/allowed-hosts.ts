import { tryParseIp } from './ip.ts';

const HOST = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[^:[\]@/\s]+))(?::\d{1,5})?$/i;

/**
 * Reports whether a request calls a server by an address, localhost, or a name in `allowed`, where `*.example.org`
 * stands for all names below one. A page whose name was pointed here by DNS uses that name, and so is rejected.
 */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  const { v6, name } = HOST.exec(header ?? '')?.groups ?? {};
  if (v6 !== undefined) return tryParseIp(v6)?.family === 6;
  if (name === undefined) return false;
  const host = name.toLowerCase().replace(/\.$/, '');
  return host === 'localhost' || tryParseIp(host) !== undefined || matchesHost(host, allowed);
}

/** Reports whether a name is one of `names`, or is below one that begins with `*.`. */
export function matchesHost(host: string, names: readonly string[]): boolean {
  return names.some((each) => {
    const name = each.toLowerCase();
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) && host.length >= name.length : host === name;
  });
}

/** Returns the names by which programs in a cluster call a Service. */
export function serviceHosts({ name, namespace }: { readonly name: string; readonly namespace: string }): string[] {
  return [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}
