import type { AdmissionAttributes } from '../admission-plugin.ts';
import { type ApiError, forbidden } from '../api-error.ts';

/** A refusal as admission plugins word it; an object whose name is still to be generated goes by what it begins with. */
export function admissionDenial({ resource, name, object }: AdmissionAttributes, why: string): ApiError {
  const { metadata } = object ?? {};
  return forbidden(resource, name || metadata?.name || metadata?.generateName || 'Unknown', why);
}

/** Several reasons as one, the way Go joins errors: each once, in brackets where there are more than one. */
export function joinReasons(reasons: readonly string[]): string {
  const once = [...new Set(reasons)];
  return once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`;
}
