import { type FieldError, invalid } from '#platform/base/field-error';
import { goQuote } from '#platform/base/go-value';
import type { NamedObject, TokenSubject } from './service-account-claims.ts';

/** Spec of a TokenRequest. */
export interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null;
  /** Lifetime. Defaults to an hour. */
  readonly expirationSeconds?: number | null;
  readonly boundObjectRef?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
  } | null;
}

/** Objects that a token may be bound to, with the fields that binding uses. */
export interface BindingObjects {
  readonly pod?: NamedObject & { readonly serviceAccountName: string; readonly nodeName?: string };
  readonly secret?: NamedObject;
  readonly node?: NamedObject;
}

/** Finds objects by kind and name; pods and secrets in the account's namespace. */
export interface BindingLookup {
  pod(name: string): BindingObjects['pod'] | undefined;
  secret(name: string): NamedObject | undefined;
  node(name: string): NamedObject | undefined;
}

/** Explains why no token is issued, as the reason, message and details of a Status. */
export interface TokenDenial {
  readonly reason: 'BadRequest' | 'NotFound' | 'Conflict';
  readonly message: string;
  readonly details?: { readonly name: string; readonly kind: string };
}

export interface TokenLifetime {
  readonly expirationSeconds: number;
  readonly warnAfterSeconds?: number;
}

export const DEFAULT_EXPIRATION_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/**
 * Lifetime that kubelets request: old clients may continue to use such tokens long after they should have fetched a new
 * one.
 */
const WARN_ONLY_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 86_400;

/** Validates the request itself. */
export function validateTokenRequest(spec: TokenRequestSpec): FieldError[] {
  const seconds = spec.expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS;
  const field = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > MAX_SECONDS) return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

/** Returns the subject of the token and what it is bound to, or why it cannot be bound. */
export function tokenSubject(
  account: NamedObject & { readonly namespace: string },
  spec: TokenRequestSpec,
  lookup: BindingLookup,
): TokenSubject | TokenDenial {
  const { namespace, name, uid } = account;
  const subject: TokenSubject = { namespace, serviceAccount: { name, uid } };
  const ref = spec.boundObjectRef;
  if (!ref) return subject;
  // The version is ignored; only the group in front of it matters.
  const [group, version] = ref.apiVersion?.includes('/') ? ref.apiVersion.split('/') : ['', ref.apiVersion ?? ''];
  if (group !== '' || !(ref.kind === 'Pod' || ref.kind === 'Secret' || ref.kind === 'Node')) {
    return badRequest(`cannot bind token to object of type ${group ?? ''}/${version ?? ''}, Kind=${ref.kind ?? ''}`);
  }
  if (!ref.name) return badRequest('Name parameter required.');
  const key = ref.kind.toLowerCase() as 'pod' | 'secret' | 'node';
  const found = lookup[key](ref.name);
  if (!found) {
    const details = { name: ref.name, kind: `${key}s` };
    return { reason: 'NotFound', message: `${key}s ${goQuote(ref.name)} not found`, details };
  }
  if ('serviceAccountName' in found && found.serviceAccountName !== name) {
    return badRequest(
      `cannot bind token for serviceaccount ${goQuote(name)} to pod running with different serviceaccount name.`,
    );
  }
  if (ref.uid && ref.uid !== found.uid) return conflict(ref.kind, ref.name, ref.uid);
  return { ...subject, [key]: { name: found.name, uid: found.uid }, ...nodeOf(found, lookup) };
}

/**
 * Returns the lifetime of the token. A kubelet's token for the API server itself lasts far longer than it should be
 * used.
 */
export function tokenLifetime(spec: TokenRequestSpec, subject: TokenSubject, issuer: string): TokenLifetime {
  const expirationSeconds = spec.expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS;
  const forServer = (spec.audiences ?? []).every((audience) => audience === issuer);
  if (!subject.pod || !forServer || expirationSeconds !== WARN_ONLY_SECONDS) return { expirationSeconds };
  return { expirationSeconds: EXTENDED_SECONDS, warnAfterSeconds: WARN_ONLY_SECONDS };
}

/** Returns the node of a pod's token, with the uid if the node exists. */
function nodeOf(
  found: NonNullable<BindingObjects['pod']> | NamedObject,
  lookup: BindingLookup,
): Pick<TokenSubject, 'node'> {
  if (!('nodeName' in found) || !found.nodeName) return {};
  const node = lookup.node(found.nodeName);
  return { node: { name: found.nodeName, ...(node ? { uid: node.uid } : {}) } };
}

function badRequest(message: string): TokenDenial {
  return { reason: 'BadRequest', message };
}

function conflict(kind: string, name: string, uid: string): TokenDenial {
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  const message = `Operation cannot be fulfilled on ${kind} ${goQuote(name)}: ${why}`;
  return { reason: 'Conflict', message, details: { name, kind } };
}
