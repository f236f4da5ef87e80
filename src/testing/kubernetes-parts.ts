import { nodeLifecycle } from '../controllers/kubernetes/node/node-lifecycle.ts';
import { claimBinder, volumeBinder } from '../controllers/kubernetes/volume/binder.ts';
import { claimProtection, volumeProtection } from '../controllers/kubernetes/volume/protection.ts';
import { type ControllerParts, runnable } from '../runtime/controller.ts';
import { manager } from '../runtime/manager.ts';
import type { Runnable } from '../runtime/runnable.ts';
import type { Cluster } from './cluster.ts';
import { controllerParts, runController } from './controller-parts.ts';

/** Parts of Kubernetes that others than controllers are tried out with. */

/** Notices nodes that fall silent, and lets pods onto those that are well. */
export function runNodeLifecycle(cluster: Cluster): () => Promise<void> {
  return runController(cluster, 'node-controller', nodeLifecycle());
}

/** Binds claims and volumes, beside what somebody adds, which may do everything. */
export function runVolumeControllers(
  cluster: Cluster,
  beside: (parts: ControllerParts) => readonly Runnable[],
): () => Promise<void> {
  const parts = controllerParts(cluster, 'persistent-volume-binder');
  const as = (user: string) => ({ ...controllerParts(cluster, user), informers: parts.informers });
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
