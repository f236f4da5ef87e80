import type { CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import type { Labels } from '#platform/kube/selectors/label-requirement';
import type { PodInfo } from '../pod/pod-info.ts';
import type { NamedSelector } from '../pod/selector-cache.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Storage as the scheduler sees it. Its own decisions count as done before they are observed as written. */
export interface StorageView {
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  /** Volumes without a claim, by class. */
  freeVolumes(className: string): Iterable<PersistentVolume>;
  csiNode(name: string): CsiNode | undefined;
}

/** Cluster state that scheduling a pod depends on. */
export interface ClusterView {
  readonly nodes: Snapshot;
  readonly storage: StorageView;
  readonly namespaceLabels: (name: string) => Labels | undefined;
  readonly namespaces: () => Iterable<{ readonly name: string; readonly labels: Labels | undefined }>;
  /** Selects the pods that do the same work, by Services and the pod's owner. Undefined if neither selects any. */
  readonly peersOf: (pod: PodInfo) => NamedSelector | undefined;
}
