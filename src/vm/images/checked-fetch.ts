import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, fetch, ProxyAgent } from 'undici';
import { tryParseIp } from '#platform/base/ip';
import { type ImageHosts, isImageAddress, parseImageHosts } from './image-hosts.ts';
import type { ImageFetch } from './web.ts';

/** Resolves the addresses of a host name. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * The message discloses neither the address nor what is there. Otherwise anyone who may name an image could scan
 * networks that only this process reaches.
 */
export class ForbiddenHostError extends Error {
  constructor() {
    super('its host is not a public address, and is not allowed by --image-hosts');
  }
}

export interface FetchSettings {
  /** Certificates of authorities that are trusted besides those of Node.js, in PEM. */
  readonly ca?: string;
  /** Returns the proxy for a URL. Undefined for a direct connection. */
  readonly proxyFor?: (url: URL) => string | undefined;
}

/**
 * Fetches from public and explicitly allowed addresses. A name is checked when it is resolved, and the connection uses
 * the checked addresses, so that the response of DNS cannot change in between. A proxy resolves names itself, so that
 * only literal addresses are checked before it, and it must protect the network that it is in.
 */
export function checkedFetch(
  allowed: readonly string[],
  resolve: Resolve = lookup,
  { ca, proxyFor = () => undefined }: FetchSettings = {},
): ImageFetch {
  const hosts = parseImageHosts(allowed);
  const tls = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const direct = new Agent({ connect: { lookup: checkedLookup(hosts, resolve), ...tls } });
  const proxies = new Map<string, Dispatcher>();
  const throughProxy = (uri: string, isTls: boolean) => {
    const key = `${isTls} ${uri}`;
    const known = proxies.get(key) ?? new ProxyAgent({ uri, requestTls: tls, proxyTunnel: isTls });
    proxies.set(key, known);
    return known;
  };
  return async (url, options) => {
    const target = new URL(url);
    const proxy = proxyFor(target);
    const dispatcher = proxy === undefined ? direct : throughProxy(proxy, target.protocol === 'https:');
    if (proxy !== undefined && isLoopbackName(target.hostname)) throw new ForbiddenHostError();
    const host = target.hostname.replaceAll(/[[\]]/g, '');
    const literal = tryParseIp(host);
    // A literal address is connected to without a lookup.
    if (literal !== undefined && !isImageAddress(host, literal, hosts)) throw new ForbiddenHostError();
    return await fetch(url, { ...options, dispatcher });
  };
}

/** Resolves a name to the addresses that images may be fetched from. */
export function checkedLookup(hosts: ImageHosts, resolve: Resolve): LookupFunction {
  return (host, options, found) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return found(error, []);
      const good = addresses.filter(({ address }) => {
        const parsed = tryParseIp(address);
        return parsed !== undefined && isImageAddress(host, parsed, hosts);
      });
      const [first] = good;
      if (first === undefined) return found(new ForbiddenHostError(), []);
      return options.all === true ? found(null, good) : found(null, first.address, first.family);
    });
  };
}

const isLoopbackName = (host: string) => /(?:^|\.)localhost\.?$/.test(host);
