import { controllerUser, INFORMER_USER } from '#control-plane/controllers/controller-user';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Controller, type ControllerDeps, runnable } from '#platform/runtime/controller';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import type { Cluster } from './cluster.ts';

/** Returns the dependencies of a Kubernetes controller, with the permissions that it has in a cluster. */
export function controllerDeps(cluster: Cluster, name: string): ControllerDeps {
  const { clock, random, log } = cluster;
  const informers = new Informers({ clock, random, log, client: cluster.clientFor(INFORMER_USER) });
  return { clock, random, log, informers, client: cluster.clientFor(controllerUser(name)) };
}

/** Runs one Kubernetes controller in a cluster. The returned function stops it. */
export function runController<T extends KubeObject>(
  cluster: Cluster,
  user: string,
  controller: Controller<T>,
): () => Promise<void> {
  const parts = controllerDeps(cluster, user);
  return cluster.run(manager(controller.name, [parts.informers, runnable(controller, parts)]));
}
