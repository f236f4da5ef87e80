import { VimanaError } from '#platform/base/errors';
import type { Slot } from './slot.ts';

/** Part of the grid with its own intensity: DE, US-CAL-CISO. */
export interface GridZone {
  readonly zone: string;
  readonly name: string;
}

/**
 * Source of carbon intensities. Every call is a new request, which IntensityCache avoids for frequent callers; any
 * failure, also an invalid response, is a CarbonError, and an aborted signal fails with its reason.
 */
export interface CarbonProvider {
  readonly name: string;
  /** Returns the current slot, or the last measured one. */
  current(zone: string, signal?: AbortSignal): Promise<Slot>;
  /** Returns the slots from now on in order of time. Empty if the provider has no forecast. */
  forecast(zone: string, signal?: AbortSignal): Promise<readonly Slot[]>;
  /** Returns all zones that can be requested. */
  zones(signal?: AbortSignal): Promise<readonly GridZone[]>;
}

/**
 * UNREACHABLE: no response. UNAUTHORIZED: the token is missing, wrong, or not valid for the request. UNKNOWN_ZONE:
 * there is no such zone, or nothing is known about it. BUSY: too many requests. UNREADABLE: a response that cannot be
 * parsed, or that the provider does not stand by.
 */
export type CarbonErrorCode = 'UNREACHABLE' | 'UNAUTHORIZED' | 'UNKNOWN_ZONE' | 'BUSY' | 'UNREADABLE';

export class CarbonError extends VimanaError {
  declare readonly code: CarbonErrorCode;
  /** Minimum time before the next request, if the provider specifies one. */
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
  return new CarbonError('UNKNOWN_ZONE', `${provider} has no zone ${zone}`, {
    hint: 'List the zones with: vimana carbon zones',
  });
}
