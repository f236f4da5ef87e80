import type { AdmissionRequest } from '../admitter.ts';

interface Deletable {
  readonly metadata: { readonly deletionTimestamp?: string };
}

/**
 * Whether a write is about the spec. Status is not the user's, and an object on its way out must be able to lose its
 * finalizers whatever its spec says.
 */
export function isAboutSpec({ operation, subresource, object }: AdmissionRequest<Deletable>): boolean {
  return operation !== 'DELETE' && (subresource ?? '') === '' && object.metadata.deletionTimestamp === undefined;
}
