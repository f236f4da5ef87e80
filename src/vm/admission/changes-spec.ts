import type { AdmissionRequest } from './admitter.ts';

interface Deletable {
  readonly metadata: { readonly deletionTimestamp?: string };
}

/**
 * Whether the write changes what a user asks for. Status is not the user's, and an object on its way out must be
 * able to lose its finalizers whatever its spec says.
 */
export function changesSpec({ operation, subresource = '', object }: AdmissionRequest<Deletable>): boolean {
  return operation !== 'DELETE' && subresource === '' && object.metadata.deletionTimestamp === undefined;
}
