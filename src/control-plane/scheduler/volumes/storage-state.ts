import {
  CSI_NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  STORAGE_CLASSES,
} from '#platform/kube/kinds/storage';
import { SELECTED_NODE, storageClassNameOf } from '#platform/kube/kinds/volume-binding';
import type { Cache, Index } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';
import { keyOf } from '#platform/runtime/key';
import type { StorageView } from '../framework/cluster-view.ts';
import type { PodVolumes } from './pod-volumes.ts';

/** Indexes unbound volumes by class, whether free or reserved. Bound volumes cannot be chosen. */
const openByClass: Index<PersistentVolume> = {
  values: (volume) => (volume.status?.phase === 'Bound' ? [] : [storageClassNameOf(volume)]),
};

/** Storage as informers report it, with decisions made here that are not written yet. */
export class StorageState implements StorageView {
  readonly #claims: Cache<PersistentVolumeClaim>;
  readonly #volumes: Cache<PersistentVolume>;
  readonly #informers: Informers;
  /** Claims of the volumes assigned here, by volume name. */
  readonly #given = new Map<string, PersistentVolumeClaim>();
  /** Nodes selected for claims here, by claim key. */
  readonly #chosen = new Map<string, string>();

  constructor(informers: Informers) {
    this.#informers = informers;
    this.#claims = informers.of(PERSISTENT_VOLUME_CLAIMS).cache;
    this.#volumes = informers.of(PERSISTENT_VOLUMES).cache;
  }

  claim(key: string): PersistentVolumeClaim | undefined {
    const claim = this.#claims.get(key);
    const node = this.#chosen.get(key);
    if (claim === undefined || node === undefined) return claim;
    const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: node };
    return { ...claim, metadata: { ...claim.metadata, annotations } };
  }

  volume(name: string): PersistentVolume | undefined {
    return name === '' ? undefined : this.#volumes.get(name);
  }

  storageClass(name: string) {
    return this.#informers.of(STORAGE_CLASSES).cache.get(name);
  }

  csiNode(name: string) {
    return this.#informers.of(CSI_NODES).cache.get(name);
  }

  *freeVolumes(className: string): Iterable<PersistentVolume> {
    for (const volume of this.#volumes.by(openByClass, className)) {
      if (!this.#given.has(volume.metadata.name ?? '')) yield volume;
    }
  }

  /** Assumes a plan as done, and returns a function that drops the assumption. */
  assume({ bind, provision }: PodVolumes, nodeName: string): () => void {
    for (const { claim, volume } of bind) this.#given.set(volume.metadata.name ?? '', claim);
    for (const claim of provision) this.#chosen.set(keyOf(claim), nodeName);
    return () => {
      for (const { volume } of bind) this.#given.delete(volume.metadata.name ?? '');
      for (const claim of provision) this.#chosen.delete(keyOf(claim));
    };
  }
}
