import { nodeLifecycle } from '#control-plane/controllers/node/node-lifecycle';
import { claimBinder, volumeBinder } from '#control-plane/controllers/volume/binder';
import { claimProtection, volumeProtection } from '#control-plane/controllers/volume/protection';
import { type ControllerDeps, runnable } from '#platform/runtime/controller';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import type { Cluster } from './cluster.ts';
import { controllerDeps, runController } from './controller-deps.ts';

/** Kubernetes components for tests of other components than controllers. */

/** Runs the node lifecycle controller, which detects lost nodes and lets pods onto healthy ones. */
export function runNodeLifecycle(cluster: Cluster): () => Promise<void> {
  return runController(cluster, 'node-controller', nodeLifecycle());
}

/** Runs the controllers that bind claims and volumes, and additional ones with all permissions. */
export function runVolumeControllers(
  cluster: Cluster,
  beside: (parts: ControllerDeps) => readonly Runnable[],
): () => Promise<void> {
  const parts = controllerDeps(cluster, 'persistent-volume-binder');
  const as = (user: string) => ({ ...controllerDeps(cluster, user), informers: parts.informers });
  return cluster.run(
    manager('volumes', [
      parts.informers,
      runnable(claimBinder, parts),
      runnable(volumeBinder, parts),
      runnable(claimProtection, as('pvc-protection-controller')),
      runnable(volumeProtection, as('pv-protection-controller')),
      ...beside({ ...parts, client: cluster.admin }),
    ]),
  );
}
