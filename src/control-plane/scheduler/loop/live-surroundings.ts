import { NAMESPACES } from '#platform/kube/kinds/core';
import type { Informers } from '#platform/runtime/informers';
import type { StorageView, Surroundings } from '../framework/surroundings.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { peersFinder } from './peers.ts';

/** What decisions look at, as informers know it. */
export function liveSurroundings(nodes: Snapshot, storage: StorageView, informers: Informers): Surroundings {
  const namespaces = informers.of(NAMESPACES).cache;
  return {
    nodes,
    storage,
    namespaceLabels: (name) => namespaces.get(name)?.metadata.labels,
    *namespaces() {
      for (const { metadata } of namespaces.all()) yield { name: metadata.name ?? '', labels: metadata.labels };
    },
    peersOf: peersFinder(informers),
  };
}
