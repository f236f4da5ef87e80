import type { PersistentVolume, PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { BOUND_BY_CONTROLLER } from '#platform/kube/kinds/volume-binding';

const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

export type VolumeStep =
  | { readonly do: 'report'; readonly phase: string; readonly message?: string }
  /** The claim that the volume was reserved for has another volume. */
  | { readonly do: 'unbind' }
  | { readonly do: 'nothing' };

/** Decides the next step of a volume. `claim` has the name in claimRef, whatever its uid. */
export function planVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeStep {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec;
  if (claimRef === undefined || (claimRef.uid ?? '') === '') return { do: 'report', phase: 'Available' };
  if (claim?.metadata.uid !== claimRef.uid) return releasedStep(volume);
  const { volumeName = '' } = claim?.spec ?? {};
  if (volumeName === volume.metadata.name) return { do: 'report', phase: 'Bound' };
  // The claim is about to bind to the volume.
  if (volumeName === '') return { do: 'nothing' };
  const provisioned = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined;
  return provisioned && policy === 'Delete' ? releasedStep(volume) : { do: 'unbind' };
}

/** Handles a volume whose claim is gone: it is retained, or deleted by its provisioner. */
function releasedStep({ metadata, spec, status }: PersistentVolume): VolumeStep {
  if (status?.phase === 'Failed') return { do: 'nothing' };
  const { persistentVolumeReclaimPolicy: policy } = spec;
  const provisioned = metadata.annotations?.[PROVISIONED_BY] !== undefined || spec['csi'] !== undefined;
  if (status?.phase !== 'Released' || policy === 'Retain' || provisioned) return { do: 'report', phase: 'Released' };
  const what = policy === 'Recycle' ? 'recyclable' : 'deletable';
  const message = `error getting ${policy === 'Recycle' ? 'recycler' : 'deleter'} volume plugin for volume "${metadata.name}": no ${what} volume plugin matched`;
  return { do: 'report', phase: 'Failed', message };
}

/** Returns a volume without its claim. A volume that its author reserved stays reserved by name. */
export function withoutClaim(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...rest } = volume.spec;
  const { [BOUND_BY_CONTROLLER]: ours, ...annotations } = volume.metadata.annotations ?? {};
  if (ours !== undefined) return { ...volume, metadata: { ...volume.metadata, annotations }, spec: rest };
  const { uid: _uid, resourceVersion: _version, ...reserved } = claimRef ?? {};
  return { ...volume, spec: { ...rest, claimRef: reserved } };
}
