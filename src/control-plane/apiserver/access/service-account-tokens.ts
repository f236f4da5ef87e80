import { createHash } from 'node:crypto';
import type { Clock } from '#platform/base/clock';
import { goQuote } from '#platform/base/go-value';
import { isSignedBy, jwkOf, readJwt, type SigningKey, signJwt } from './jwt.ts';
import { decodeClaims, encodeClaims, type ServiceAccountClaims, type TokenSubject } from './service-account-claims.ts';
import { AUTHENTICATED, serviceAccountGroups, serviceAccountUserName, type User } from './user.ts';

export interface ServiceAccountTokensOptions {
  readonly key: SigningKey;
  /** Issuer of the tokens. Defaults to https://kubernetes.default.svc. */
  readonly issuer?: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Generates the ID of a token. */
  readonly uuid: () => string;
  /** Finds an object that a token refers to; namespace '' for nodes. */
  readonly lookup: ObjectLookup;
}

/** Returns the stored object's uid and, if it is being deleted, since when (milliseconds since 1970). */
export type ObjectLookup = (
  kind: 'ServiceAccount' | 'Pod' | 'Secret' | 'Node',
  namespace: string,
  name: string,
) => Promise<StoredObject | undefined> | StoredObject | undefined;

export interface StoredObject {
  readonly uid: string;
  readonly deletedAt?: number;
}

/** Has `user` if the token is valid. Otherwise `problem` explains why it is not, without repeating the token. */
export type Verification =
  | { readonly user: User; readonly audiences: readonly string[]; readonly claims: ServiceAccountClaims }
  | { readonly problem: string };

export interface IssuedToken {
  readonly token: string;
  readonly claims: ServiceAccountClaims;
}

const EXTRA = 'authentication.kubernetes.io/';
const MAX_KNOWN = 1024;
/** Time for which a deleted object still keeps a token valid, and maximum clock skew (ms). */
const LEEWAY = 60_000;

/** Issues and verifies the tokens of ServiceAccounts. */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly #options: ServiceAccountTokensOptions;
  /** Tokens with a verified signature, by their hash: the remaining checks are cheap. */
  readonly #known = new Map<string, ServiceAccountClaims>();

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
    this.issuer = options.issuer ?? 'https://kubernetes.default.svc';
  }

  /** Issues a token. Times are whole seconds from now. */
  issue(
    subject: TokenSubject,
    options: {
      readonly audiences?: readonly string[];
      readonly expirationSeconds: number;
      readonly warnAfterSeconds?: number;
    },
  ): IssuedToken {
    const now = Math.floor(this.#options.clock.now() / 1000);
    const claims: ServiceAccountClaims = {
      ...subject,
      audiences: options.audiences?.length ? options.audiences : [this.issuer],
      issuer: this.issuer,
      id: this.#options.uuid(),
      issuedAt: now,
      notBefore: now,
      expires: now + options.expirationSeconds,
      ...(options.warnAfterSeconds === undefined ? {} : { warnAfter: now + options.warnAfterSeconds }),
    };
    return { token: signJwt(this.#options.key, encodeClaims(claims)), claims };
  }

  /**
   * Verifies a token for at least one of the audiences (by default the API server's own). Returns undefined if it is
   * not a token of this issuer, so that another authenticator may know it.
   */
  async verify(token: string, audiences: readonly string[] = [this.issuer]): Promise<Verification | undefined> {
    const claims = this.#read(token);
    if (claims === undefined || 'problem' in claims) return claims;
    const problem =
      this.#timeProblem(claims) ?? audienceProblem(claims, audiences) ?? (await this.#objectProblem(claims));
    if (problem !== undefined) return { problem };
    const shared = audiences.filter((audience) => claims.audiences.includes(audience));
    return { user: userOf(claims), audiences: shared, claims };
  }

  /** Returns the public keys of these tokens, for /openid/v1/jwks. */
  jwks(): { readonly keys: readonly Record<string, unknown>[] } {
    return { keys: [jwkOf(this.#options.key)] };
  }

  /** Returns the document of /.well-known/openid-configuration, with the address at which the API server is reached. */
  openidConfiguration(serverAddress: string): Record<string, unknown> {
    return {
      issuer: this.issuer,
      jwks_uri: `${serverAddress.replace(/\/$/, '')}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [this.#options.key.algorithm],
    };
  }

  #read(token: string): ServiceAccountClaims | { problem: string } | undefined {
    const hash = createHash('sha256').update(token).digest('base64');
    const known = this.#known.get(hash);
    if (known) return known;
    const jwt = readJwt(token);
    if (jwt?.claims['iss'] !== this.issuer) return undefined;
    if (!isSignedBy(jwt, this.#options.key)) return { problem: 'the signature of the token is not valid' };
    const claims = decodeClaims(jwt.claims);
    if (!claims) return { problem: 'the claims of the token are not those of a service account' };
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(hash, claims);
    return claims;
  }

  #timeProblem({ expires, notBefore }: ServiceAccountClaims): string | undefined {
    const now = this.#options.clock.now();
    if (now - LEEWAY > expires * 1000) return 'service account token has expired';
    return now + LEEWAY < notBefore * 1000 ? 'service account token is not valid yet' : undefined;
  }

  /** Checks that the account and the objects that the token is bound to are still the same. */
  async #objectProblem({
    namespace,
    serviceAccount,
    pod,
    secret,
    node,
  }: ServiceAccountClaims): Promise<string | undefined> {
    const { lookup } = this.#options;
    const account = await lookup('ServiceAccount', namespace, serviceAccount.name);
    if (!account) return `serviceaccounts ${goQuote(serviceAccount.name)} not found`;
    if (this.#isGone(account)) return `service account ${namespace}/${serviceAccount.name} has been deleted`;
    if (account.uid !== serviceAccount.uid) {
      return `service account UID (${account.uid}) does not match claim (${serviceAccount.uid})`;
    }
    if (secret) return this.#boundProblem('secret', secret, await lookup('Secret', namespace, secret.name));
    if (pod) return this.#boundProblem('pod', pod, await lookup('Pod', namespace, pod.name));
    return node && this.#boundProblem('node', node, await lookup('Node', '', node.name));
  }

  #boundProblem(kind: string, claim: { readonly uid?: string }, stored: StoredObject | undefined): string | undefined {
    if (!stored || this.#isGone(stored)) return 'service account token has been invalidated';
    if (stored.uid === claim.uid) return undefined;
    return `${kind} UID (${stored.uid}) does not match service account ${kind} ref claim (${claim.uid ?? ''})`;
  }

  #isGone({ deletedAt }: StoredObject): boolean {
    return deletedAt !== undefined && deletedAt < this.#options.clock.now() - LEEWAY;
  }
}

function audienceProblem(claims: ServiceAccountClaims, desired: readonly string[]): string | undefined {
  if (desired.some((audience) => claims.audiences.includes(audience))) return undefined;
  const list = (audiences: readonly string[]): string => `[${audiences.map(goQuote).join(' ')}]`;
  return `token audiences ${list(claims.audiences)} is invalid for the target audiences ${list(desired)}`;
}

/** Returns the user of a token. */
function userOf({ namespace, serviceAccount, pod, node, id }: ServiceAccountClaims): User {
  const extra: Record<string, string[]> = {};
  if (id) extra[`${EXTRA}credential-id`] = [`JTI=${id}`];
  if (node) extra[`${EXTRA}node-name`] = [node.name];
  if (node?.uid) extra[`${EXTRA}node-uid`] = [node.uid];
  if (pod) extra[`${EXTRA}pod-name`] = [pod.name];
  if (pod) extra[`${EXTRA}pod-uid`] = [pod.uid];
  return {
    name: serviceAccountUserName(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
    extra,
  };
}
