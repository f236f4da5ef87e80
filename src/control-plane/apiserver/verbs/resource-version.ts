import { ApiError, badRequest, tooLargeResourceVersion } from '../api-error.ts';
import type { Store } from '../store/store.ts';

/** Whether a text is a version that there could be: a whole number of 64 bits. */
export function isVersion(text: string): boolean {
  return /^\d+$/.test(text) && BigInt.asUintN(64, BigInt(text)) === BigInt(text);
}

const problemOf = (text: string): string =>
  `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${/^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'}`;

/** What a writer hears whose object is at a version that there cannot be. */
export function badVersion(text: string): ApiError {
  return new ApiError(500, '', problemOf(text));
}

/** The version that a list is asked for; 0 for none. */
export function listVersion(text: string): number {
  if (text === '') return 0;
  if (isVersion(text)) return Number(text);
  throw badRequest(`invalid resource version: ${parameterProblem(text)}`);
}

/** The version that a single object or a watch is asked for; 0 for none. */
export function readVersion(text: string): number {
  if (text === '') return 0;
  if (isVersion(text)) return Number(text);
  // The API server takes this for a fault of its own.
  throw new ApiError(500, '', parameterProblem(text));
}

const parameterProblem = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problemOf(text)}`;

/** An object may be asked for as of some version, but none that is still to come. */
export function checkReached(store: Store, resourceVersion: string): void {
  const version = readVersion(resourceVersion);
  if (version > store.revision) throw tooLargeResourceVersion(version, store.revision);
}
