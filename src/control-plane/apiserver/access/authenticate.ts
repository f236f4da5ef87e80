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
  /** Whether requests without credentials go on as system:anonymous; true where absent. */
  readonly anonymous?: boolean;
  /** Who sends a request without credentials, where that can be told from the rest of it. */
  readonly unnamed?: (headers: RequestHeaders, ends: SocketEnds) => Promise<User | undefined>;
}

/** What of a request says who sends it. */
export interface RequestCredentials {
  readonly headers: RequestHeaders;
  /** The client's certificate, if it sent one, and whether the TLS handshake found it to be of our authority. */
  readonly certificate?: { readonly value: X509Certificate; readonly trusted: boolean };
  /** The connection that the request came by. */
  readonly ends?: SocketEnds;
}

/** A user, or why the request is refused: for logs only, the client just learns that it is not authorized. */
export type Authentication = { readonly user: User } | { readonly refused: string };

/** The status of a TokenReview. */
export interface TokenReviewStatus {
  readonly authenticated?: true;
  readonly user: { username?: string; uid?: string; groups?: readonly string[]; extra?: User['extra'] };
  readonly audiences?: readonly string[];
  readonly error?: string;
}

const INVALID_TOKEN = 'invalid bearer token';

/** Finds out who sends a request. The first credential that is good counts; one that is not, refuses only if none is. */
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
    } else if (certificate) problems.push('the client certificate is not of a known authority');
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

  /** Says whom a token stands for, as TokenReview asks; no audiences means those of the API server. */
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
    // A token that says nothing of its audience is for the API server alone.
    if (user && (!audiences || audiences.includes(issuer))) return { user, audiences: [issuer] };
    const verified = await serviceAccountTokens.verify(token, audiences);
    if (!verified) return { problems: [INVALID_TOKEN] };
    return 'user' in verified ? verified : { problems: [INVALID_TOKEN, verified.problem] };
  }
}
