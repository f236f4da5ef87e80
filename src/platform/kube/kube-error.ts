/** Cause of a rejection: a field and its problem. */
export interface KubeErrorCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface KubeErrorDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly KubeErrorCause[];
  readonly retryAfterSeconds?: number;
}

/** Rejection of a request by the API server, as its Status describes it. */
export class KubeError extends Error {
  readonly code: number;
  /** Reason such as NotFound, Conflict or Invalid. Empty if the response was not a Status. */
  readonly reason: string;
  readonly details: KubeErrorDetails;

  constructor(code: number, reason: string, message: string, details: KubeErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubeError';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

const is = (reason: string) => (error: unknown) => error instanceof KubeError && error.reason === reason;

export const isNotFound = is('NotFound');
export const isConflict = is('Conflict');
export const isAlreadyExists = is('AlreadyExists');
export const isInvalid = is('Invalid');
export const isForbidden = is('Forbidden');

/** Reports whether the namespace is terminating, so that nothing can or need be created there. */
export function isNamespaceTerminating(error: unknown): boolean {
  const { causes = [] } = error instanceof KubeError ? error.details : {};
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

/** Reports whether the requested version is no longer retained, so that the caller must list again. */
export function isGone(error: unknown): boolean {
  return error instanceof KubeError && error.code === 410;
}

/** Returns the response, or undefined if the object is not found. */
export async function ignoreNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
