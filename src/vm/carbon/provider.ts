import { VimanaError } from '#platform/base/errors';
import type { Slot } from './slot.ts';

/** A part of the grid that has an intensity of its own: DE, US-CAL-CISO. */
export interface GridZone {
  readonly zone: string;
  readonly name: string;
}

/**
 * Somebody who knows how clean electricity is. Every call asks anew; whoever calls often keeps the answers (GridWatch).
 * What goes wrong is a CarbonError, also an answer that makes no sense; an aborted signal fails with its reason.
 */
export interface CarbonProvider {
  readonly name: string;
  /** How it is now, or was when it was last measured. */
  current(zone: string, signal?: AbortSignal): Promise<Slot>;
  /** The slots from now on, in order of time; none where the provider foretells nothing. */
  forecast(zone: string, signal?: AbortSignal): Promise<readonly Slot[]>;
  /** All zones that may be asked for. */
  zones(signal?: AbortSignal): Promise<readonly GridZone[]>;
}

/**
 * UNREACHABLE: no answer at all. UNAUTHORIZED: the token is missing, wrong, or not good for what was asked.
 * UNKNOWN_ZONE: there is no such zone, or nothing is known of it. BUSY: too many requests. UNREADABLE: an answer that
 * cannot be understood, or none that the provider stands by.
 */
export type CarbonErrorCode = 'UNREACHABLE' | 'UNAUTHORIZED' | 'UNKNOWN_ZONE' | 'BUSY' | 'UNREADABLE';

export class CarbonError extends VimanaError {
  declare readonly code: CarbonErrorCode;
  /** Not to be asked again before, where the provider says so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: CarbonErrorCode,
    message: string,
    details: { readonly cause?: unknown; readonly hint?: string; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(code, message, details);
    this.retryAfterMs = details.retryAfterMs;
  }
}

export function unknownZone(provider: string, zone: string): CarbonError {
  return new CarbonError('UNKNOWN_ZONE', `${provider} knows no zone ${zone}`, {
    hint: 'See which there are with: vimana carbon zones',
  });
}
