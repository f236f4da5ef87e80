import { isFromBrowser } from '#platform/base/browser-request';
import { isOwnProgram, type SocketEnds } from '#platform/base/socket-owner';
import type { RequestHeaders } from './bearer.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Reports whether an address to listen on is reachable from this host only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/** Caches whether a connection is of our user, which never changes. */
const owned = new WeakMap<SocketEnds, Promise<boolean>>();

/**
 * Reports whether a request to a loopback address comes from a local program that runs as our user. A page in a browser
 * sends its origin, or uses another name for the server.
 */
export async function isLocalProgram(headers: RequestHeaders, ends: SocketEnds): Promise<boolean> {
  const { host } = headers;
  if (isFromBrowser(headers) || typeof host !== 'string' || !LOOPBACK.test(host)) return false;
  const known = owned.get(ends) ?? isOwnProgram(ends);
  owned.set(ends, known);
  return await known;
}
