import { FREEZE_ANNOTATION } from '#api/launcher';
import type { Pki } from '#control-plane/apiserver/access/pki';
import type { ClientFor } from '#control-plane/apiserver/request-handler';
import { kubernetesControllers } from '#control-plane/controllers/kubernetes-controllers';
import { scheduler } from '#control-plane/scheduler/scheduler';
import { fleetMetrics } from '#fleet/exporter/custom-metrics/fleet-metrics';
import { definedFields } from '#platform/base/defined-fields';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { Node } from '#platform/kube/kinds/node';
import { Events } from '#platform/runtime/events/events';
import { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import { measuredVms } from '#programs/operator/custom-metrics';
import type { Dialect } from '#vm/engine/dialect';
import { subresourceExtensions } from '#vm/engine/subresources/extension';
import type { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { createCarbon, createEmbeddedOperator } from './embedded-operator.ts';
import type { ComponentOptions, EdgeParts } from './embedded-options.ts';
import { type ExplanationsOf, explanationsApi } from './explanations.ts';
import { gridZonesApi } from './grid-zones.ts';
import { OPERATOR, READER, SCHEDULER, serviceAccount } from './identities.ts';
import { createSimulatedNodes } from './simulated-nodes.ts';

/** API server that serves: on a port, with certificates, or only in this process. */
export interface ServingPlane {
  readonly client: ClientFor;
  readonly pki?: Pick<Pki, 'caPem'>;
  stop(): Promise<void>;
}

/** Components beside the API server. They are created from its clients, and run once it serves. */
export interface Components {
  readonly informers: Informers;
  readonly events: Events;
  readonly fleet: SimulatedFleet;
  readonly explanations: ExplanationsOf;
  /** API groups that the components serve. */
  readonly extensions: readonly ApiExtension[];
  readonly runnables: readonly Runnable[];
}

export function createComponents(
  options: ComponentOptions,
  dialects: readonly Dialect[],
  edge: EdgeParts,
  clientFor: ClientFor,
): Components {
  const { clock, random, log } = options;
  const { metrics, containerLogs, drivers, serveStream, deleteClaim } = edge;
  const shared = { clock, random, log };
  const operatorClient = clientFor(serviceAccount(OPERATOR), 'vimana-operator');
  const informers = new Informers({ ...shared, client: clientFor(READER, 'vimana') });
  const events = new Events({ ...shared, client: operatorClient, onDrop: (why) => metrics?.eventDropped(why) });
  const { fleet, provisioning } = createSimulatedNodes(options, dialects, {
    clientFor,
    informers,
    events,
    containerLogs,
    drivers,
    deleteClaim,
  });
  const placing = scheduler({
    ...shared,
    informers,
    client: clientFor(SCHEDULER, 'kube-scheduler'),
    events: events.recorder('default-scheduler'),
    ...(options.scheduling === undefined ? {} : { configuration: options.scheduling }),
  });
  const carbon = createCarbon(options, dialects, informers, edge);
  const operator = createEmbeddedOperator(options, dialects, {
    ...{ client: operatorClient, informers, events },
    ...{ edge, fleet, carbon },
  });
  const explanations: ExplanationsOf = (namespace, name) => placing.explanationOf(namespace, name).toReversed();
  const extensions = [
    ...subresourceExtensions({
      client: clientFor(serviceAccount(OPERATOR), 'vimana-subresource'),
      dialects,
      random: random.fork('subresources'),
      events: events.recorder('virtualmachine-controller'),
      guests: serveStream === undefined ? undefined : { access: fleet.guests, serve: serveStream },
    }),
    explanationsApi(explanations),
    ...(carbon.source === undefined ? [] : [gridZonesApi(carbon.source)]),
    fleet.metrics(),
    ...fleetMetrics({
      informers,
      clock,
      vms: dialects.map(measuredVms),
      ...definedFields({ referenceNode: options.referenceNode }),
      usageIn: () => Promise.resolve((pod) => fleet.usageOf(pod)),
    }),
  ];
  const proxies = edge.serviceProxy === undefined ? [] : [edge.serviceProxy(informers)];
  const runnables = [placing, ...provisioning, fleet, operator, ...proxies];
  return { informers, events, fleet, explanations, extensions, runnables };
}

/** Creates the controllers of Kubernetes for a control plane that serves. */
export function createKubernetesControllers(
  { clock, random, log, signsOfLife }: ComponentOptions,
  plane: ServingPlane,
  { informers, events }: Components,
): Runnable[] {
  return kubernetesControllers({
    clock,
    random,
    log,
    informers,
    clientFor: (user) => plane.client(user, 'kube-controller-manager'),
    eventsOf: (component) => events.recorder(component),
    ...(plane.pki === undefined ? {} : { caPem: plane.pki.caPem }),
    ...(signsOfLife === 'assumed' ? { isNodeSilent: isFrozen } : {}),
  });
}

/** Reports whether a fault froze the node by annotation. Simulated nodes send no heartbeats in simulated time. */
const isFrozen = ({ metadata }: Node) => metadata.annotations?.[FREEZE_ANNOTATION] === 'true';
