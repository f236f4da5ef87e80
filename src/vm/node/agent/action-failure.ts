import { VimanaError } from '#platform/base/errors';
import { MachinePreparingError, MachineStartError } from '../machine-driver.ts';
import { NotSupportedError } from '../not-supported-error.ts';
import { ObjectWaitError } from '../object-wait-error.ts';

/** Reason why an action on a machine failed, as its pod reports it, and when to try again. */
export interface ActionFailure {
  readonly waiting: { readonly reason: string; readonly message: string };
  readonly retryAfterMs: number;
  /** Resolves when the action may succeed, if that can be known. */
  readonly waitForChange?: (signal: AbortSignal) => Promise<void>;
  /** Name of the part that is being prepared. Unset for a failure. */
  readonly preparing?: string;
}

/** An upgrade may add what a driver does not support yet, so a retry is rarely useful. */
const UNSUPPORTED_RETRY_MS = 300_000;
const RETRY_MS = 10_000;
/** An action that waits for a change is tried again after this time too, in case the watch is lost. */
const WATCHED_RETRY_MS = 300_000;
/** How often the progress of a preparation is reported. */
const PROGRESS_MS = 1_000;

/** Returns what to report about an error of a driver, and throws all others. */
export function actionFailureOf(error: unknown): ActionFailure {
  if (error instanceof NotSupportedError) {
    return { waiting: { reason: 'NotSupported', message: error.message }, retryAfterMs: UNSUPPORTED_RETRY_MS };
  }
  if (error instanceof ObjectWaitError) {
    const waiting = { reason: 'FailedMount', message: error.message };
    return { waiting, retryAfterMs: WATCHED_RETRY_MS, waitForChange: (signal) => error.waitForChange(signal) };
  }
  if (error instanceof MachinePreparingError) {
    const { reason, message, what } = error;
    return { waiting: { reason, message }, retryAfterMs: PROGRESS_MS, preparing: what };
  }
  if (!(error instanceof MachineStartError)) throw error;
  return { waiting: { reason: error.reason, message: messageOf(error) }, retryAfterMs: RETRY_MS };
}

function messageOf({ message, hint }: VimanaError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
