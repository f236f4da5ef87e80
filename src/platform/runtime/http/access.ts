import type { IncomingMessage } from 'node:http';
import { isAllowedHost } from '#platform/base/allowed-hosts';
import { isCrossOrigin, isFromBrowser } from '#platform/base/browser-request';
import { isOwnProgram, OWNERS_ARE_KNOWN } from '#platform/base/socket-owner';
import type { AccessToken } from '#platform/kube/access-token';

/** Reason why a request is denied. */
export interface Denial {
  readonly status: 401 | 403;
  readonly text: string;
}

/** Decides whether a request may make changes. Returns undefined if it may. */
export type Authorize = (request: IncomingMessage, signal: AbortSignal) => Promise<Denial | undefined>;

/** Reviews a bearer token that is not the server's own, such as a token of the cluster. */
export type ReviewToken = (token: string, request: IncomingMessage, signal: AbortSignal) => Promise<Denial | undefined>;

export interface AccessOptions {
  /** Host names that clients may use for the server, besides addresses and localhost. */
  readonly allowedHosts?: readonly string[];
  /** Decides who may make changes. Defaults to programs of the same user on this host. */
  readonly authorize?: Authorize;
}

/** Denies requests that foreign pages make a browser send, and those for a host name that was pointed here by DNS. */
export function sourceDenial(request: IncomingMessage, allowedHosts: readonly string[] = []): Denial | undefined {
  const { host } = request.headers;
  if ((request.headersDistinct['host']?.length ?? 0) > 1 || !isAllowedHost(host, allowedHosts)) {
    const named = /^[\w.:[\]-]{1,255}$/.test(host ?? '') ? `${host} ` : '';
    return { status: 403, text: `the Host ${named}is not a name of this server; add names with --allowed-hosts` };
  }
  if (isCrossOrigin(request.method ?? 'GET', request.headers)) {
    return { status: 403, text: 'requests from other origins are not allowed' };
  }
  return undefined;
}

export interface AuthorizerOptions {
  /** Returns the token, or undefined as long as there is none. */
  readonly token?: () => AccessToken | undefined;
  readonly review?: () => ReviewToken | undefined;
}

/** Authorizes clients that present a valid token, and programs of the same user on this host without one. */
export function createAuthorizer({ token, review }: AuthorizerOptions = {}): Authorize {
  return async (request, signal) => {
    const given = bearerOf(request);
    if (given !== undefined) {
      if (token?.()?.matches(given) === true) return undefined;
      const reviewed = review?.();
      return reviewed === undefined || given === '' ? NO_SUCH_TOKEN : await reviewed(given, request, signal);
    }
    const isOwn = !isFromBrowser(request.headers) && (await isOwnProgram(request.socket));
    return isOwn ? undefined : NO_TOKEN;
  };
}

const NO_TOKEN: Denial = {
  status: 401,
  text:
    'a token is required as "Authorization: Bearer TOKEN": the server printed the path of its token file at startup. ' +
    (OWNERS_ARE_KNOWN
      ? 'Without a token, only processes of the same user on the same host are allowed'
      : 'This operating system does not reveal which user a client runs as'),
};

export const NO_SUCH_TOKEN: Denial = { status: 401, text: 'the token is not valid' };

function bearerOf({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  return authorization === undefined ? undefined : (/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
}
