import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { Node } from '#platform/kube/kinds/node';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Controller, type ControllerDeps, runnable } from '#platform/runtime/controller';
import { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { type EventRecorder, noopRecorder } from '#platform/runtime/events/event-recorder';
import { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import { autoscalerController } from './autoscaler/controller.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import { type ControllerUser, controllerUser, INFORMER_USER } from './controller-user.ts';
import { cronJobController } from './cron-job/controller.ts';
import { daemonSetController } from './daemon-set/controller.ts';
import { defaultServiceAccount } from './default-service-account.ts';
import { deploymentController } from './deployment/controller.ts';
import { disruptionController } from './disruption/controller.ts';
import { endpointsCollector, endpointsController } from './endpoints/endpoints-controller.ts';
import { endpointSliceMirroring } from './endpoints/mirror-controller.ts';
import { endpointSliceController } from './endpoints/slice-controller.ts';
import { eventTtl } from './event-ttl/event-ttl.ts';
import { GarbageCollector } from './garbage-collector/garbage-collector.ts';
import { jobController } from './job/controller.ts';
import { orphanedJobPods } from './job/orphaned-pods.ts';
import { ttlAfterFinished } from './job/ttl.ts';
import { namespaceController } from './namespace/controller.ts';
import { AssumedHealth } from './node/node-health.ts';
import { nodeLifecycle } from './node/node-lifecycle.ts';
import { taintEviction } from './node/taint-eviction.ts';
import { podGc } from './pod-gc/controller.ts';
import { replicaSetController, replicationManager } from './replicas/controller.ts';
import { resourceQuotaController } from './resource-quota/controller.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';
import { statefulSetController } from './stateful-set/controller.ts';
import { attributesClassProtection } from './volume/attributes-class-protection.ts';
import { claimBinder, volumeBinder } from './volume/binder.ts';
import { claimProtection, volumeProtection } from './volume/protection.ts';

export interface KubernetesControllersDeps {
  /**
   * Returns a client for a user. Every controller acts as its own ServiceAccount with the permissions of that account.
   */
  readonly clientFor: (user: ControllerUser) => Client;
  /** CA certificate by which clients verify the API server. If absent, none is published. */
  readonly caPem?: string;
  /** Shared informers of the process, which the caller runs. Defaults to informers of the controllers' own. */
  readonly informers?: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Set if nodes send no heartbeats: they count as healthy, except those for which it returns true. */
  readonly isNodeSilent?: (node: Node) => boolean;
  /** Returns the recorder of a component's Events. Defaults to none. */
  readonly eventsOf?: (component: string) => EventRecorder;
}

/** Returns the controllers that Kubernetes clients rely on, in the order in which they start. */
export function kubernetesControllers(given: KubernetesControllersDeps): Runnable[] {
  const { clientFor, clock, random, log } = given;
  const shared = { clock, random: random.fork('kubernetes controllers'), log };
  const informers = given.informers ?? new Informers({ ...shared, client: clientFor(INFORMER_USER) });
  const partsFor = (user: string): ControllerDeps => ({
    ...shared,
    informers,
    client: clientFor(controllerUser(user)),
  });
  const of = <T extends KubeObject>(user: string, controller: Controller<T>) => runnable(controller, partsFor(user));
  const eventsOf = given.eventsOf ?? (() => noopRecorder);
  const reporting = <T extends KubeObject>(user: string, controller: Controller<T>, component = user) =>
    runnable(controller, { ...partsFor(user), events: eventsOf(component) });
  const catalog = new DiscoveryCache(partsFor('generic-garbage-collector'));
  return [
    ...(given.informers === undefined ? [informers] : []),
    catalog,
    of('service-account-controller', defaultServiceAccount),
    ...(given.caPem === undefined ? [] : [of('root-ca-cert-publisher', rootCaPublisher(given.caPem))]),
    new GarbageCollector(partsFor('generic-garbage-collector'), catalog),
    of('namespace-controller', namespaceController),
    of('disruption-controller', disruptionController(catalog)),
    of('resourcequota-controller', resourceQuotaController(catalog)),
    of('persistent-volume-binder', claimBinder),
    of('persistent-volume-binder', volumeBinder),
    of('pvc-protection-controller', claimProtection),
    of('pv-protection-controller', volumeProtection),
    of('volumeattributesclass-protection-controller', attributesClassProtection),
    runnable(nodeLifecycle(given.isNodeSilent === undefined ? undefined : new AssumedHealth(given.isNodeSilent)), {
      ...partsFor('node-controller'),
      events: eventsOf('node-controller'),
    }),
    of('node-controller', taintEviction()),
    of('pod-garbage-collector', podGc()),
    of('clusterrole-aggregation-controller', clusterRoleAggregation),
    reporting('replicaset-controller', replicaSetController()),
    reporting('replication-controller', replicationManager()),
    reporting('deployment-controller', deploymentController()),
    of('endpointslice-controller', endpointSliceController()),
    of('endpoint-controller', endpointsController()),
    of('endpoint-controller', endpointsCollector()),
    reporting('endpointslicemirroring-controller', endpointSliceMirroring(), 'endpoint-slice-mirroring-controller'),
    reporting('statefulset-controller', statefulSetController()),
    reporting('daemon-set-controller', daemonSetController(), 'daemonset-controller'),
    reporting('job-controller', jobController()),
    of('job-controller', orphanedJobPods),
    of('ttl-after-finished-controller', ttlAfterFinished),
    reporting('cronjob-controller', cronJobController()),
    reporting('horizontal-pod-autoscaler', autoscalerController(catalog)),
    // Kubernetes expires events in its store and has no role for it, but this role covers it.
    eventTtl(partsFor('generic-garbage-collector')),
  ];
}
