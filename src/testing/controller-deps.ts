import { controllerUser, INFORMER_USER } from '#control-plane/controllers/controller-user';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Controller, type ControllerDeps, runnable } from '#platform/runtime/controller';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import type { Cluster } from './cluster.ts';

/** What a controller of Kubernetes gets in a cluster, with the rights that it has there. */
export function controllerDeps(cluster: Cluster, name: string): ControllerDeps {
  const { clock, random, log } = cluster;
  const informers = new Informers({ clock, random, log, client: cluster.clientFor(INFORMER_USER) });
  return { clock, random, log, informers, client: cluster.clientFor(controllerUser(name)) };
}

/** Runs one controller of Kubernetes in a cluster; returns how to stop it. */
export function runController<T extends KubeObject>(
  cluster: Cluster,
  user: string,
  controller: Controller<T>,
): () => Promise<void> {
  const parts = controllerDeps(cluster, user);
  return cluster.run(manager(controller.name, [parts.informers, runnable(controller, parts)]));
}
