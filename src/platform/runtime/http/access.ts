import type { IncomingMessage } from 'node:http';
import { isAllowedHost } from '#platform/base/allowed-hosts';
import { isCrossOrigin, isFromBrowser } from '#platform/base/browser-request';
import { isOwnProgram } from '#platform/base/socket-owner';
import type { AccessToken } from '#platform/kube/access-token';

/** Why a request is not answered. */
export interface Denial {
  readonly status: 401 | 403;
  readonly text: string;
}

/** Decides whether a request may change something; undefined: it may. */
export type Authorize = (request: IncomingMessage, signal: AbortSignal) => Promise<Denial | undefined>;

/** Decides by a bearer token that is not the server's own, such as a token of the cluster. */
export type ReviewToken = (token: string, request: IncomingMessage, signal: AbortSignal) => Promise<Denial | undefined>;

export interface AccessOptions {
  /** Names that clients may call the server by, besides addresses and localhost. */
  readonly allowedHosts?: readonly string[];
  /** Who may change something. Defaults to programs of the same user on this machine. */
  readonly authorize?: Authorize;
}

/** Denies requests that pages of others make a browser send, and those for a name that was made to lead here. */
export function sourceDenial(request: IncomingMessage, allowedHosts: readonly string[] = []): Denial | undefined {
  const { host } = request.headers;
  if ((request.headersDistinct['host']?.length ?? 0) > 1 || !isAllowedHost(host, allowedHosts)) {
    const named = /^[\w.:[\]-]{1,255}$/.test(host ?? '') ? `${host} ` : '';
    return { status: 403, text: `the Host ${named}is not a name of this server; --allowed-hosts adds names` };
  }
  if (isCrossOrigin(request.method ?? 'GET', request.headers)) {
    return { status: 403, text: 'pages of another origin may not use this server' };
  }
  return undefined;
}

export interface AuthorizerOptions {
  /** Undefined as long as, or where, there is none. */
  readonly token?: () => AccessToken | undefined;
  readonly review?: () => ReviewToken | undefined;
}

/** Lets whoever presents a good token change something, and programs of the same user on this machine without one. */
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
  text: 'a token is needed, as "Authorization: Bearer TOKEN": the server printed at its start which file has it. Without one, only programs of the same user on the same machine may do this',
};

export const NO_SUCH_TOKEN: Denial = { status: 401, text: 'the token is not valid' };

function bearerOf({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  return authorization === undefined ? undefined : (/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
}
