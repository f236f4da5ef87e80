import { causeReason, type FieldError, fieldErrorBody, formatFieldError } from '#platform/base/field-error';
import { StoreError } from './store/store-error.ts';

/** One cause inside a Status. */
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

/** The Status object that Kubernetes answers with, on failure and after some deletions. */
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

/** A request that ends in a Status of failure; the texts are those that Kubernetes' clients know. */
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

/** What a writer hears who read an older version. */
export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** More causes than these tell nobody anything, and a large object could otherwise give hundreds of thousands. */
const MOST_CAUSES = 500;
const MOST_TEXT = 256 * 1024;

export function invalid({ group, kind }: NamedKind, name: string, all: readonly FieldError[]): ApiError {
  const causes = readable(all);
  // The same thing told twice stays two causes, but is read once.
  const texts = [...new Set(causes.map(formatFieldError))];
  const told = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${qualifiedResource(group, kind)} "${name}" is invalid: ${told}`, {
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

/** As many causes as somebody reads: each may quote a whole object. */
function readable(all: readonly FieldError[]): FieldError[] {
  const causes: FieldError[] = [];
  let length = 0;
  for (const cause of all) {
    if (causes.length >= MOST_CAUSES || (causes.length > 0 && length > MOST_TEXT)) break;
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

/** What a resource itself says that has no such verb. */
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

/** What the routes of built-in resources say, before anybody reads the request. */
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

/** A request whose client has gone away: what is not begun is not done. Nobody reads this, but it is recorded. */
export function clientGone(): ApiError {
  return new ApiError(499, 'ClientGone', 'the client is gone');
}

/** A request that took longer than any may. What it has begun may still be carried out. */
export function requestTimedOut(): ApiError {
  return new ApiError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout');
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

/** A list that cannot go on as it began; whoever does not mind can go on with the token. */
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

export function tooLargeResourceVersion(wanted: number, current: number): ApiError {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  return new ApiError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** What a client hears of a fault of ours: that it happened, not where. */
export function internal(cause: unknown): ApiError {
  // That writes fail for want of storage is nobody's fault here, and passes: it is told as it is.
  if (cause instanceof StoreError && cause.code === 'Unavailable') {
    return new ApiError(503, 'ServiceUnavailable', cause.message, undefined, cause);
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `Internal error occurred: ${why}`;
  return new ApiError(500, 'InternalError', message, { causes: [{ message: why }] }, cause);
}
