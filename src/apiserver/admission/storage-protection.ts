import type { AdmissionPlugin } from '../admission-plugin.ts';

const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['/persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['/persistentvolumes', 'kubernetes.io/pv-protection'],
  ['storage.k8s.io/volumeattributesclasses', 'kubernetes.io/vac-protection'],
]);

/** Storage that something uses waits with its end until nothing does. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, resource: { group, plural }, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) return undefined;
    const finalizer = FINALIZERS.get(`${group}/${plural}`);
    if (finalizer === undefined) return undefined;
    const { metadata } = object;
    if (metadata.finalizers?.includes(finalizer) !== true) (metadata.finalizers ??= []).push(finalizer);
    return undefined;
  },
};
