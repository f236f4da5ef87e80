import { VimanaError } from '#platform/base/errors';
import { MachineStartError } from '../machine-driver.ts';
import { NotSupportedError } from '../not-supported-error.ts';

/** Reason why an action on a machine failed, as its pod reports it, and when to try again. */
export interface ActionFailure {
  readonly waiting: { readonly reason: string; readonly message: string };
  readonly retryAfterMs: number;
}

/** An upgrade may add what a driver does not support yet, so a retry is rarely useful. */
const UNSUPPORTED_RETRY_MS = 300_000;
const RETRY_MS = 10_000;

/** Returns what to report about an error of a driver, and throws all others. */
export function actionFailureOf(error: unknown): ActionFailure {
  if (error instanceof NotSupportedError) {
    return { waiting: { reason: 'NotSupported', message: error.message }, retryAfterMs: UNSUPPORTED_RETRY_MS };
  }
  if (!(error instanceof MachineStartError)) throw error;
  return { waiting: { reason: 'SyncFailed', message: messageOf(error) }, retryAfterMs: RETRY_MS };
}

function messageOf({ message, hint }: VimanaError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
