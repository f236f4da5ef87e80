import { compare, parseQuantity } from '#platform/base/quantity';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import {
  BIND_COMPLETED,
  NO_PROVISIONER,
  SELECTED_NODE,
  STORAGE_CLASS_ANNOTATION,
  storageClassNameOf,
} from '#platform/kube/kinds/volume-binding';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';

export type ClaimStep =
  /** The claim stays unbound until something changes. */
  | { readonly do: 'wait' }
  | { readonly do: 'take class'; readonly className: string }
  | { readonly do: 'bind'; readonly volume: PersistentVolume }
  /** The provisioner of the class is to create a volume. */
  | { readonly do: 'ask for volume'; readonly provisioner: string }
  /** The bound volume is gone or belongs to another claim. */
  | { readonly do: 'lose' };

export interface VolumesAndClasses {
  readonly volumes: readonly PersistentVolume[];
  readonly classes: readonly StorageClass[];
}

/** Decides the next step of a claim. */
export function planClaim(claim: PersistentVolumeClaim, { volumes, classes }: VolumesAndClasses): ClaimStep {
  const { volumeName = '' } = claim.spec;
  const volume = volumes.find(({ metadata }) => metadata.name === volumeName);
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) {
    if (volume === undefined || isOfAnother(volume, claim)) return { do: 'lose' };
    return { do: 'bind', volume };
  }
  if (claim.metadata.deletionTimestamp !== undefined) return { do: 'wait' };
  if (volumeName !== '') return planNamedVolume(claim, volume);
  const className = defaultClass(claim, classes);
  if (className !== undefined) return { do: 'take class', className };
  return planOpen(claim, volumes, classes);
}

/** Handles a claim that names its volume. */
function planNamedVolume(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimStep {
  if (volume === undefined || isOfAnother(volume, claim)) return { do: 'wait' };
  return isEnough(volume, claim) || isMeantFor(volume, claim) ? { do: 'bind', volume } : { do: 'wait' };
}

function planOpen(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  classes: readonly StorageClass[],
): ClaimStep {
  const storageClass = classes.find(({ metadata }) => metadata.name === storageClassNameOf(claim));
  // With WaitForFirstConsumer the scheduler chooses the volume and the node together.
  const delayed =
    storageClass?.volumeBindingMode === 'WaitForFirstConsumer' &&
    (claim.metadata.annotations?.[SELECTED_NODE] ?? '') === '';
  const volume = bestVolume(claim, volumes, delayed);
  if (volume !== undefined) return { do: 'bind', volume };
  if (delayed || storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return { do: 'wait' };
  return { do: 'ask for volume', provisioner: storageClass.provisioner };
}

/** Returns the volume reserved for the claim, or else the smallest that matches. */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  onlyMeant = false,
): PersistentVolume | undefined {
  const fitting = volumes.filter(
    (volume) => volume.metadata.deletionTimestamp === undefined && isEnough(volume, claim),
  );
  const meant = fitting.find((volume) => isMeantFor(volume, claim));
  if (meant !== undefined || onlyMeant) return meant;
  const selector = claim.spec.selector === undefined ? undefined : labelSelectorOf(claim.spec.selector);
  const free = fitting.filter(
    ({ metadata, spec, status }) =>
      spec.claimRef === undefined && status?.phase === 'Available' && selector?.matches(metadata.labels) !== false,
  );
  return free.toSorted(
    (a, b) => compare(sizeOf(a), sizeOf(b)) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
  )[0];
}

/** Reports whether the volume is reserved for the claim. */
function isMeantFor({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef === undefined || claimRef.namespace !== metadata.namespace || claimRef.name !== metadata.name)
    return false;
  return (claimRef.uid ?? '') === '' || claimRef.uid === metadata.uid;
}

const isOfAnother = (volume: PersistentVolume, claim: PersistentVolumeClaim) =>
  volume.spec.claimRef !== undefined && !isMeantFor(volume, claim);

const sizeOf = ({ spec }: PersistentVolume) => parseQuantity(spec.capacity?.['storage'] ?? 0);

/** Reports whether a volume satisfies a claim. */
function isEnough(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { accessModes = [], resources, volumeMode = 'Filesystem' } = claim.spec;
  return (
    storageClassNameOf(volume) === storageClassNameOf(claim) &&
    (volume.spec.volumeMode ?? 'Filesystem') === volumeMode &&
    accessModes.every((mode) => volume.spec.accessModes?.includes(mode)) &&
    compare(sizeOf(volume), parseQuantity(resources?.requests?.['storage'] ?? 0)) >= 0
  );
}

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Returns the class of a claim without one, the newest default class. */
function defaultClass(claim: PersistentVolumeClaim, classes: readonly StorageClass[]): string | undefined {
  if (claim.spec.storageClassName !== undefined || claim.metadata.annotations?.[STORAGE_CLASS_ANNOTATION] !== undefined)
    return;
  const [newest] = classes
    .filter(({ metadata }) => DEFAULT_CLASS.some((name) => metadata.annotations?.[name] === 'true'))
    .toSorted((a, b) => (ageOf(a) === ageOf(b) ? (nameOf(a) < nameOf(b) ? -1 : 1) : ageOf(a) < ageOf(b) ? 1 : -1));
  return newest?.metadata.name;
}

const ageOf = ({ metadata }: StorageClass) => metadata.creationTimestamp ?? '';
const nameOf = ({ metadata }: StorageClass) => metadata.name ?? '';
