import { GarbageCollector } from '../controllers/kubernetes/garbage-collector/garbage-collector.ts';
import { Catalog } from '../runtime/catalog.ts';
import { manager } from '../runtime/manager.ts';
import type { Cluster } from './cluster.ts';
import { controllerParts } from './controller-parts.ts';

/** Runs the garbage collector of Kubernetes in a cluster; returns how to stop it. */
export function runGarbageCollector(cluster: Cluster): () => Promise<void> {
  const parts = controllerParts(cluster, 'generic-garbage-collector');
  const catalog = new Catalog(parts);
  return cluster.run(manager('garbage collector', [parts.informers, catalog, new GarbageCollector(parts, catalog)]));
}
