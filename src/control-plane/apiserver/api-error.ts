import { causeReason, type FieldError, fieldErrorBody, formatFieldError } from '#platform/base/field-error';
import { StoreError } from './store/store-error.ts';

/** Describes one cause inside a Status. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Status object that Kubernetes returns on failure and after some deletions. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string; readonly name?: never };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Ends a request with a failure Status. The messages are those that Kubernetes clients know. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  get status(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** Names a resource in errors: `configmaps`, or `probes.example.com` outside the core group. */
export interface NamedResource {
  readonly group: string;
  readonly plural: string;
}

/** Names a kind in errors about the content of objects. */
export interface NamedKind {
  readonly group: string;
  readonly kind: string;
}

const qualifiedResource = (group: string, name: string) => (group === '' ? name : `${name}.${group}`);
const groupOf = (group: string) => (group === '' ? {} : { group });

export function notFound({ group, plural }: NamedResource, name: string): ApiError {
  const details = { name, ...groupOf(group), kind: plural };
  return new ApiError(404, 'NotFound', `${qualifiedResource(group, plural)} "${name}" not found`, details);
}

export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists({ group, plural }: NamedResource, name: string): ApiError {
  const details = { name, ...groupOf(group), kind: plural };
  return new ApiError(409, 'AlreadyExists', `${qualifiedResource(group, plural)} "${name}" already exists`, details);
}

export function conflict({ group, plural }: NamedResource, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(group, plural)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, { name, ...groupOf(group), kind: plural });
}

/** Message for a writer that read an older version of the object. */
export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Maximum number of causes in a Status. More are of no use, and a large object could otherwise cause hundreds of
 * thousands.
 */
const MAX_CAUSES = 500;
const MAX_TEXT_LENGTH = 256 * 1024;

export function invalid({ group, kind }: NamedKind, name: string, all: readonly FieldError[]): ApiError {
  const causes = readable(all);
  // Repeated errors stay separate causes, but appear once in the message.
  const texts = [...new Set(causes.map(formatFieldError))];
  const reported = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${qualifiedResource(group, kind)} "${name}" is invalid: ${reported}`, {
    ...(name === '' ? {} : { name }),
    ...groupOf(group),
    ...(kind === '' ? {} : { kind }),
    causes: causes.map((cause) => ({
      reason: causeReason(cause),
      message: fieldErrorBody(cause),
      field: cause.field === '' ? '<nil>' : cause.field,
    })),
  });
}

/** Limits the causes to a readable number, because each may quote a whole object. */
function readable(all: readonly FieldError[]): FieldError[] {
  const causes: FieldError[] = [];
  let length = 0;
  for (const cause of all) {
    if (causes.length >= MAX_CAUSES || (causes.length > 0 && length > MAX_TEXT_LENGTH)) break;
    length += cause.detail.length + (typeof cause.value === 'string' ? cause.value.length : 0);
    causes.push(cause);
  }
  return causes;
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function forbidden({ group, plural }: NamedResource, name: string, why: string): ApiError {
  const subject = `${qualifiedResource(group, plural)}${name === '' ? '' : ` "${name}"`}`;
  const details = { ...(name === '' ? {} : { name }), ...groupOf(group), kind: plural };
  return new ApiError(403, 'Forbidden', `${subject} is forbidden: ${why}`, details);
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** Returned by a resource that does not support the verb. */
export function methodNotSupported({ group, plural }: NamedResource, verb: string): ApiError {
  const message = `${verb} is not supported on resources of kind "${qualifiedResource(group, plural)}"`;
  return new ApiError(405, 'MethodNotAllowed', message, { ...groupOf(group), kind: plural });
}

export function unsupportedMediaType(accepted?: readonly string[]): ApiError {
  if (accepted === undefined) return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  const list = accepted.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return new ApiError(406, 'NotAcceptable', message);
}

/** Returned by the routes of built-in resources before the request is read. */
export function noRepresentation(available: readonly string[]): ApiError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return new ApiError(406, 'NotAcceptable', message, {});
}

export function tooLarge(limit: number | string): ApiError {
  const message = `Request entity too large: limit is ${limit}`;
  return new ApiError(413, 'RequestEntityTooLarge', message);
}

export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds });
}

/**
 * Returned when the client has disconnected: work that has not started is skipped. Nobody reads this error, but it is
 * recorded.
 */
export function clientGone(): ApiError {
  return new ApiError(499, 'ClientGone', 'the client disconnected');
}

/** Returned when a request exceeds the request timeout. Work that it has started may still be carried out. */
export function requestTimedOut(): ApiError {
  return new ApiError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout');
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

/**
 * Rejects a list that can no longer continue at its original revision. A client that accepts an inconsistent list can
 * continue with the token.
 */
export class ExpiredListError extends ApiError {
  readonly #token: string;

  constructor(message: string, token: string) {
    super(410, 'Expired', message);
    this.#token = token;
  }

  override get status(): Status {
    return { ...super.status, metadata: { continue: this.#token } };
  }
}

export function tooLargeResourceVersion(desired: number, current: number): ApiError {
  const message = `Timeout: Too large resource version: ${desired}, current: ${current}`;
  return new ApiError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** Reports an internal error to the client without revealing its origin. */
export function internal(cause: unknown): ApiError {
  // Failing writes for lack of storage are not a bug and are temporary, so the client sees the actual reason.
  if (cause instanceof StoreError && cause.code === 'Unavailable') {
    return new ApiError(503, 'ServiceUnavailable', cause.message, undefined, cause);
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `Internal error occurred: ${why}`;
  return new ApiError(500, 'InternalError', message, { causes: [{ message: why }] }, cause);
}
