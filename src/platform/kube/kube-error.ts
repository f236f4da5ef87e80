/** A cause inside a refusal: a field and what is wrong with it. */
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

/** A request that the API server refused, as its Status says. */
export class KubeError extends Error {
  readonly code: number;
  /** NotFound, Conflict, Invalid and so on; '' where the answer was no Status. */
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

/** The namespace is ending: nothing can be made there, and nothing needs to be. */
export function isNamespaceTerminating(error: unknown): boolean {
  const { causes = [] } = error instanceof KubeError ? error.details : {};
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

/** The version asked for is no longer kept: list again. */
export function isGone(error: unknown): boolean {
  return error instanceof KubeError && error.code === 410;
}

/** An answer, or undefined where what it is about is not there. */
export async function ignoreNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
