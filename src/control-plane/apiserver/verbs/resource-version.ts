import { ApiError, badRequest, tooLargeResourceVersion } from '../api-error.ts';
import type { Store } from '../store/store.ts';

/** Reports whether a text is a possible version: a 64-bit integer. */
export function isVersion(text: string): boolean {
  return /^\d+$/.test(text) && BigInt.asUintN(64, BigInt(text)) === BigInt(text);
}

const problemOf = (text: string): string =>
  `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${/^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'}`;

/** Returns the version that a written object must have had, empty for any. As in kube-apiserver, `0` is any version. */
export function expectedVersion({ resourceVersion = '' }: { readonly resourceVersion?: string }): string {
  return /^0+$/.test(resourceVersion) ? '' : resourceVersion;
}

/** Returned for a write whose object has an impossible version. */
export function badVersion(text: string): ApiError {
  return new ApiError(500, '', problemOf(text));
}

/** Returns the version requested by a list; 0 for none. */
export function listVersion(text: string): number {
  if (text === '') return 0;
  if (isVersion(text)) return Number(text);
  throw badRequest(`invalid resource version: ${parameterProblem(text)}`);
}

/** Returns the version requested by a get or a watch; 0 for none. */
export function readVersion(text: string): number {
  if (text === '') return 0;
  if (isVersion(text)) return Number(text);
  // The API server reports this as an internal error.
  throw new ApiError(500, '', parameterProblem(text));
}

const parameterProblem = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problemOf(text)}`;

/** Checks that a requested version is not in the future. */
export function checkReached(store: Store, resourceVersion: string): void {
  const version = readVersion(resourceVersion);
  if (version > store.revision) throw tooLargeResourceVersion(version, store.revision);
}
