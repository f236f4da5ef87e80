import type { X509Certificate } from 'node:crypto';
import { append } from '#platform/base/append';
import type { SocketEnds } from '#platform/base/socket-owner';
import { bearerToken, type RequestHeaders } from './bearer.ts';
import { userOfCertificate } from './client-certificate.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import type { StaticTokens } from './static-tokens.ts';
import { ANONYMOUS, type User } from './user.ts';

export interface AuthenticatorOptions {
  readonly staticTokens: StaticTokens;
  readonly serviceAccountTokens: ServiceAccountTokens;
  /** Treats requests without credentials as system:anonymous. Defaults to true. */
  readonly anonymous?: boolean;
  /** Identifies the sender of a request without credentials by the rest of it, if possible. */
  readonly unnamed?: (headers: RequestHeaders, ends: SocketEnds) => Promise<User | undefined>;
}

/** Holds the parts of a request that identify its sender. */
export interface RequestCredentials {
  readonly headers: RequestHeaders;
  /** Client certificate, if it sent one, and whether the TLS handshake verified it against our authority. */
  readonly certificate?: { readonly value: X509Certificate; readonly trusted: boolean };
  /** Connection of the request. */
  readonly ends?: SocketEnds;
}

/**
 * Has the user, or why the request is rejected. The reason is for logs only: the client just learns that it is not
 * authorized.
 */
export type Authentication = { readonly user: User } | { readonly refused: string };

/** Status of a TokenReview. */
export interface TokenReviewStatus {
  readonly authenticated?: true;
  readonly user: { username?: string; uid?: string; groups?: readonly string[]; extra?: User['extra'] };
  readonly audiences?: readonly string[];
  readonly error?: string;
}

const INVALID_TOKEN = 'invalid bearer token';

/**
 * Authenticates requests. The first valid credential counts; an invalid one rejects the request only if none is valid.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  async authenticate({ headers, certificate, ends = {} }: RequestCredentials): Promise<Authentication> {
    const problems: string[] = [];
    if (certificate?.trusted) {
      const user = userOfCertificate(certificate.value);
      if (user) return { user };
    } else if (certificate) problems.push('the client certificate was not issued by a known authority');
    const token = bearerToken(headers);
    if (token !== '') {
      const found = await this.#token(token);
      if ('user' in found) return { user: found.user };
      append(problems, found.problems);
    }
    if (problems.length > 0) return { refused: problems.join(', ') };
    const unnamed = await this.#options.unnamed?.(headers, ends);
    if (unnamed !== undefined) return { user: unnamed };
    return this.#options.anonymous === false ? { refused: 'no credentials' } : { user: ANONYMOUS };
  }

  /** Returns the user of a token, as TokenReview requests; without audiences, those of the API server are used. */
  async review(token: string, audiences?: readonly string[]): Promise<TokenReviewStatus> {
    const found = await this.#token(token, audiences?.length ? audiences : undefined);
    if (!('user' in found)) {
      const { problems } = found;
      return { user: {}, error: problems.length > 1 ? `[${problems.join(', ')}]` : (problems[0] ?? '') };
    }
    const { name, uid, groups, extra } = found.user;
    const user = { username: name, ...(uid ? { uid } : {}), groups, ...(extra ? { extra } : {}) };
    return { authenticated: true, user, audiences: found.audiences };
  }

  async #token(
    token: string,
    audiences?: readonly string[],
  ): Promise<{ user: User; audiences: readonly string[] } | { problems: string[] }> {
    const { staticTokens, serviceAccountTokens } = this.#options;
    const { issuer } = serviceAccountTokens;
    const user = staticTokens.find(token);
    // A token without an audience is for the API server only.
    if (user && (!audiences || audiences.includes(issuer))) return { user, audiences: [issuer] };
    const verified = await serviceAccountTokens.verify(token, audiences);
    if (!verified) return { problems: [INVALID_TOKEN] };
    return 'user' in verified ? verified : { problems: [INVALID_TOKEN, verified.problem] };
  }
}
