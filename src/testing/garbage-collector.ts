import { GarbageCollector } from '#control-plane/controllers/garbage-collector/garbage-collector';
import { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { manager } from '#platform/runtime/manager';
import type { Cluster } from './cluster.ts';
import { controllerDeps } from './controller-deps.ts';

/** Runs the Kubernetes garbage collector in a cluster. The returned function stops it. */
export function runGarbageCollector(cluster: Cluster): () => Promise<void> {
  const parts = controllerDeps(cluster, 'generic-garbage-collector');
  const catalog = new DiscoveryCache(parts);
  return cluster.run(manager('garbage collector', [parts.informers, catalog, new GarbageCollector(parts, catalog)]));
}
