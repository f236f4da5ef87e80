import { TemporaryError } from '#platform/base/errors';
import { isAlreadyExists, isConflict, isInvalid, isNamespaceTerminating } from '#platform/kube/kube-error';
import type { Problem } from './dialect.ts';

/** How soon to look again after an instance turned out to be there that the cache does not show. */
const TAKEN_RETRY_MS = 1000;

const INVALID_RETRY_MS = 300_000;

/** What users are told of a deed that failed, and what the queue is. */
export interface Failure {
  readonly problem?: Problem;
  readonly error: unknown;
}

export function createFailure(error: unknown): Failure {
  if (isAlreadyExists(error)) {
    const message = 'an instance of that name is there already';
    return { error: new TemporaryError(message, { cause: error, retryAfterMs: TAKEN_RETRY_MS }) };
  }
  if (isNamespaceTerminating(error)) return { error };
  const message = `Error creating virtual machine instance: ${messageOf(error)}`;
  const problem = { reason: 'FailedCreate', message };
  if (!isInvalid(error)) return { problem, error };
  // As a rule only another spec can help.
  return { problem, error: new TemporaryError(message, { cause: error, retryAfterMs: INVALID_RETRY_MS }) };
}

export function deleteFailure(error: unknown): Failure {
  // Another instance by now: it is looked at again.
  if (isConflict(error)) return { error };
  return {
    problem: { reason: 'FailedDelete', message: `Error deleting virtual machine instance: ${messageOf(error)}` },
    error,
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

export function noAddressBlocker(ifaces: readonly string[]): Problem {
  const message = `no address is left for network card ${ifaces.join(', ')}: delete machines, or give the operator a larger range`;
  return { reason: 'NoAddressLeft', message };
}
