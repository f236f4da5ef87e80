import { NAMESPACES } from '#platform/kube/kinds/core';
import type { Informers } from '#platform/runtime/informers';
import type { ClusterView, StorageView } from '../framework/cluster-view.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { createDefaultSelector } from './default-selector.ts';

/** Builds the view of the cluster from informers. */
export function liveClusterView(nodes: Snapshot, storage: StorageView, informers: Informers): ClusterView {
  const namespaces = informers.of(NAMESPACES).cache;
  return {
    nodes,
    storage,
    namespaceLabels: (name) => namespaces.get(name)?.metadata.labels,
    *namespaces() {
      for (const { metadata } of namespaces.all()) yield { name: metadata.name ?? '', labels: metadata.labels };
    },
    peersOf: createDefaultSelector(informers),
  };
}
