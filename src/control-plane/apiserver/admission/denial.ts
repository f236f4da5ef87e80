import type { AdmissionAttributes } from '../admission-plugin.ts';
import { type ApiError, forbidden } from '../api-error.ts';

/** Builds a denial in the wording of admission plugins. An object without a name yet appears by its generateName. */
export function admissionDenial({ resource, name, object }: AdmissionAttributes, why: string): ApiError {
  const { metadata } = object ?? {};
  return forbidden(resource, name || metadata?.name || metadata?.generateName || 'Unknown', why);
}
