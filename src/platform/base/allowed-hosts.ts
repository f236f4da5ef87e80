import { tryParseIp } from './ip.ts';

const HOST = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[^:[\]@/\s]+))(?::\d{1,5})?$/i;

/**
 * Whether a server is called by a name of its own. A page whose name was made to lead here by DNS calls it by that name;
 * nobody can do this to an address or to localhost. `allowed` has names, and `*.example.org` for all below one.
 */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  const { v6, name } = HOST.exec(header ?? '')?.groups ?? {};
  if (v6 !== undefined) return tryParseIp(v6)?.family === 6;
  if (name === undefined) return false;
  const host = name.toLowerCase().replace(/\.$/, '');
  return host === 'localhost' || tryParseIp(host) !== undefined || matchesHost(host, allowed);
}

/** Whether a name is one of some names, or is below one that begins with `*.`. */
export function matchesHost(host: string, names: readonly string[]): boolean {
  return names.some((each) => {
    const name = each.toLowerCase();
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) && host.length >= name.length : host === name;
  });
}

/** The names that programs in a cluster call a Service by. */
export function serviceHosts({ name, namespace }: { readonly name: string; readonly namespace: string }): string[] {
  return [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}
