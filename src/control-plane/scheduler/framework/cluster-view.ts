import type { CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import type { Labels } from '#platform/kube/selectors/label-requirement';
import type { PodInfo } from '../pod/pod-info.ts';
import type { NamedSelector } from '../pod/selector-cache.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Storage as the scheduler knows it: what it has decided but not yet seen written counts as done. */
export interface StorageView {
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  /** Volumes that no claim has, by class. */
  freeVolumes(className: string): Iterable<PersistentVolume>;
  csiNode(name: string): CsiNode | undefined;
}

/** All that placing a pod looks at. */
export interface ClusterView {
  readonly nodes: Snapshot;
  readonly storage: StorageView;
  readonly namespaceLabels: (name: string) => Labels | undefined;
  readonly namespaces: () => Iterable<{ readonly name: string; readonly labels: Labels | undefined }>;
  /** Which pods do the same work, as Services and the pod's owner say; undefined where nobody says. */
  readonly peersOf: (pod: PodInfo) => NamedSelector | undefined;
}
