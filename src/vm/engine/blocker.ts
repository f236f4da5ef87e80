import { TemporaryError } from '#platform/base/errors';
import { isAlreadyExists, isConflict, isInvalid, isNamespaceTerminating } from '#platform/kube/kube-error';
import type { Problem } from './dialect.ts';

/** Delay before the next attempt after a create conflicted with an instance that the cache does not show. */
const TAKEN_RETRY_MS = 1000;

const INVALID_RETRY_MS = 300_000;

/** Outcome of a failed action: the problem for users and the error for the queue. */
export interface Failure {
  readonly problem?: Problem;
  readonly error: unknown;
}

export function createFailure(error: unknown): Failure {
  if (isAlreadyExists(error)) {
    const message = 'an instance of that name already exists';
    return { error: new TemporaryError(message, { cause: error, retryAfterMs: TAKEN_RETRY_MS }) };
  }
  if (isNamespaceTerminating(error)) return { error };
  const message = `Error creating virtual machine instance: ${messageOf(error)}`;
  const problem = { reason: 'FailedCreate', message };
  if (!isInvalid(error)) return { problem, error };
  // Usually only a change of the spec can help.
  return { problem, error: new TemporaryError(message, { cause: error, retryAfterMs: INVALID_RETRY_MS }) };
}

export function deleteFailure(error: unknown): Failure {
  // The instance has changed, so it is observed again.
  if (isConflict(error)) return { error };
  return {
    problem: { reason: 'FailedDelete', message: `Error deleting virtual machine instance: ${messageOf(error)}` },
    error,
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

export function noAddressBlocker(ifaces: readonly string[]): Problem {
  const message = `no free IP address for interface ${ifaces.join(', ')}: delete VMs, or give the operator a larger range`;
  return { reason: 'NoAddressLeft', message };
}
