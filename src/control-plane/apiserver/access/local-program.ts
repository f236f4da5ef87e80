import { isFromBrowser } from '#platform/base/browser-request';
import { isOwnProgram, type SocketEnds } from '#platform/base/socket-owner';
import type { RequestHeaders } from './bearer.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether an address to listen on reaches no further than this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/** A connection belongs to the same user from its first request to its last. */
const owned = new WeakMap<SocketEnds, Promise<boolean>>();

/**
 * Whether a request that reached a loopback address comes from a program of this machine that runs as our user. A page
 * in a browser says where it is from, or calls the server by a name of its own.
 */
export async function isLocalProgram(headers: RequestHeaders, ends: SocketEnds): Promise<boolean> {
  const { host } = headers;
  if (isFromBrowser(headers) || typeof host !== 'string' || !LOOPBACK.test(host)) return false;
  const known = owned.get(ends) ?? isOwnProgram(ends);
  owned.set(ends, known);
  return await known;
}
