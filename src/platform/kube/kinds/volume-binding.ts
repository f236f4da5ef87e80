import type { KubeObject } from '../kube-object.ts';

/** Set on a claim once it is bound to its volume. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Set on a volume or a claim if the binding was chosen for it, not written by a user. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** Node that the scheduler has chosen for the pod of a claim. The volume is provisioned there. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Provisioner of classes whose volumes are created by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
/** Names the class of a claim or volume, and precedes the field that replaced it. */
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Returns the name of the storage class of a claim or volume. */
export function storageClassNameOf({
  metadata,
  spec,
}: Pick<KubeObject, 'metadata'> & { readonly spec: { readonly storageClassName?: string } }): string {
  return metadata.annotations?.[STORAGE_CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}
