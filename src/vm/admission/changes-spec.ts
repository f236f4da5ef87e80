import type { AdmissionRequest } from './admitter.ts';

interface Deletable {
  readonly metadata: { readonly deletionTimestamp?: string };
}

/**
 * Reports whether the write changes the desired state. Status does not belong to the user, and a terminating object
 * must be able to lose its finalizers whatever its spec contains.
 */
export function changesSpec({ operation, subresource = '', object }: AdmissionRequest<Deletable>): boolean {
  return operation !== 'DELETE' && subresource === '' && object.metadata.deletionTimestamp === undefined;
}
