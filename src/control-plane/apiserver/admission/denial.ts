import type { AdmissionAttributes } from '../admission-plugin.ts';
import { type ApiError, forbidden } from '../api-error.ts';

/** Builds a denial in the wording of admission plugins. An object without a name yet appears by its generateName. */
export function admissionDenial({ resource, name, object }: AdmissionAttributes, why: string): ApiError {
  const { metadata } = object ?? {};
  return forbidden(resource, name || metadata?.name || metadata?.generateName || 'Unknown', why);
}

/** Joins distinct reasons as Go joins errors, in brackets if there are more than one. */
export function joinReasons(reasons: readonly string[]): string {
  const once = [...new Set(reasons)];
  return once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`;
}
