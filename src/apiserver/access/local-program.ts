import type { RequestHeaders } from './bearer.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether an address to listen on reaches no further than this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/**
 * Whether a request that reached a loopback address comes from a program of this machine, and not from a page in its
 * browser: such a page says where it is from, or calls the server by a name of its own.
 */
export function isLocalProgram(headers: RequestHeaders): boolean {
  const { host } = headers;
  return (
    headers['origin'] === undefined &&
    headers['sec-fetch-site'] === undefined &&
    typeof host === 'string' &&
    LOOPBACK.test(host)
  );
}
