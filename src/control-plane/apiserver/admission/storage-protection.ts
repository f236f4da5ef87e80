import type { AdmissionPlugin } from '../admission-plugin.ts';

const FINALIZERS: ReadonlyMap<string, { readonly group: string; readonly finalizer: string }> = new Map([
  ['persistentvolumeclaims', { group: '', finalizer: 'kubernetes.io/pvc-protection' }],
  ['persistentvolumes', { group: '', finalizer: 'kubernetes.io/pv-protection' }],
  ['volumeattributesclasses', { group: 'storage.k8s.io', finalizer: 'kubernetes.io/vac-protection' }],
]);

/** Adds the finalizers that delay the deletion of claims and volumes in use. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, resource: { group, plural }, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) return undefined;
    const protection = FINALIZERS.get(plural);
    if (protection?.group !== group) return undefined;
    const { finalizer } = protection;
    const { metadata } = object;
    if (metadata.finalizers?.includes(finalizer) !== true) (metadata.finalizers ??= []).push(finalizer);
    return undefined;
  },
};
