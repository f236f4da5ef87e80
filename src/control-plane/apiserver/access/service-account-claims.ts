import { serviceAccountUserName } from './user.ts';

/** Identifies an object that a token refers to. */
export interface NamedObject {
  readonly name: string;
  readonly uid: string;
}

/** Identifies the account of a token, and the object whose deletion invalidates the token too. */
export interface TokenSubject {
  readonly namespace: string;
  readonly serviceAccount: NamedObject;
  readonly pod?: NamedObject;
  readonly secret?: NamedObject;
  /** Node of the pod, which may not exist and then has no uid. */
  readonly node?: { readonly name: string; readonly uid?: string };
}

/** Claims of a ServiceAccount's token. */
export interface ServiceAccountClaims extends TokenSubject {
  readonly audiences: readonly string[];
  readonly issuer: string;
  readonly id: string;
  /** Seconds since 1970, as all times in tokens. */
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expires: number;
  /** Time at which the holder should have fetched a new token, if this one stays valid after that. */
  readonly warnAfter?: number;
}

/** Returns the claims to sign, with keys in the same order as in Kubernetes. */
export function encodeClaims(claims: ServiceAccountClaims): object {
  const { namespace, node, pod, secret, serviceAccount, warnAfter } = claims;
  return {
    aud: claims.audiences,
    exp: claims.expires,
    iat: claims.issuedAt,
    iss: claims.issuer,
    jti: claims.id,
    'kubernetes.io': {
      namespace,
      ...(node ? { node } : {}),
      ...(pod ? { pod } : {}),
      ...(secret ? { secret } : {}),
      serviceaccount: serviceAccount,
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    nbf: claims.notBefore,
    sub: serviceAccountUserName(namespace, serviceAccount.name),
  };
}

/** Decodes the result of encodeClaims; undefined if the claims are not those of a ServiceAccount. */
export function decodeClaims(claims: Readonly<Record<string, unknown>>): ServiceAccountClaims | undefined {
  const { aud, exp, iat, iss, jti, nbf, sub, 'kubernetes.io': kubernetes } = claims;
  if (!isRecord(kubernetes)) return undefined;
  const { namespace, warnafter } = kubernetes;
  const serviceAccount = namedObject(kubernetes['serviceaccount']);
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (typeof iss !== 'string' || typeof namespace !== 'string' || !serviceAccount || !isStrings(audiences))
    return undefined;
  if (!isNumber(exp) || !isNumber(iat) || !isNumber(nbf)) return undefined;
  if (sub !== serviceAccountUserName(namespace, serviceAccount.name)) return undefined;
  const bound = boundObjects(kubernetes);
  if (!bound) return undefined;
  return {
    audiences,
    issuer: iss,
    id: typeof jti === 'string' ? jti : '',
    issuedAt: iat,
    notBefore: nbf,
    expires: exp,
    namespace,
    serviceAccount,
    ...bound,
    ...(isNumber(warnafter) ? { warnAfter: warnafter } : {}),
  };
}

/** Returns the objects that the token is bound to; undefined if a reference cannot be checked. */
function boundObjects(kubernetes: Record<string, unknown>): Pick<TokenSubject, 'pod' | 'secret' | 'node'> | undefined {
  const pod = namedObject(kubernetes['pod']);
  const secret = namedObject(kubernetes['secret']);
  const node = isRecord(kubernetes['node']) ? kubernetes['node'] : undefined;
  if ((kubernetes['pod'] && !pod) || (kubernetes['secret'] && !secret)) return undefined;
  if (kubernetes['node'] && typeof node?.['name'] !== 'string') return undefined;
  return {
    ...(pod ? { pod } : {}),
    ...(secret ? { secret } : {}),
    ...(node
      ? { node: { name: node['name'] as string, ...(typeof node['uid'] === 'string' ? { uid: node['uid'] } : {}) } }
      : {}),
  };
}

function namedObject(value: unknown): NamedObject | undefined {
  if (!isRecord(value) || typeof value['name'] !== 'string' || typeof value['uid'] !== 'string') return undefined;
  return { name: value['name'], uid: value['uid'] };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
