import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import { definedFields } from '#platform/base/defined-fields';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { byController, type Cache, controllerKey } from '#platform/runtime/cache';
import type { Events } from '#platform/runtime/events/events';
import type { Informers } from '#platform/runtime/informers';
import { createLeaderElector } from '#platform/runtime/leader-elector';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import { type Carbon, carbonOf, isCarbonAware } from '#programs/operator/carbon';
import { type OperatorSettings, operatorControllers } from '#programs/operator/controllers';
import type { Dialect } from '#vm/engine/dialect';
import { vmMetrics } from '#vm/engine/metrics';
import type { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import type { ComponentOptions, EdgeParts } from './embedded-options.ts';
import { OPERATOR_LEASE } from './identities.ts';
import { SYSTEM_NAMESPACE } from './install.ts';

export interface EmbeddedOperatorDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: Events;
  readonly edge: EdgeParts;
  readonly fleet: SimulatedFleet;
  readonly carbon: Carbon;
}

/** Creates what makes the VMs of the operator carbon-aware. */
export function createCarbon(
  { clock, log, carbon }: ComponentOptions,
  dialects: readonly Dialect[],
  informers: Informers,
  edge: EdgeParts,
): Carbon {
  return carbonOf(isCarbonAware(dialects) ? carbon : undefined, {
    clock,
    log,
    informers,
    namespace: SYSTEM_NAMESPACE,
    ...definedFields({ sources: edge.carbonSources }),
  });
}

const NODE_LOST_AFTER_MS = 40_000;
const HOUR = 3_600_000;
/** No other process could become the leader. */
const LEADING_ALONE = { leaseMs: 3 * HOUR, renewDeadlineMs: 2 * HOUR, retryMs: HOUR };

/** Creates the operator, and measures its VMs. */
export function createEmbeddedOperator(
  options: ComponentOptions,
  dialects: readonly Dialect[],
  deps: EmbeddedOperatorDeps,
): Runnable {
  const { clock, random, log } = options;
  const { client, informers, events, edge, carbon } = deps;
  const settings = operatorSettings(options, dialects, carbon, deps);
  const shared = { clock, random, log, informers };
  const operator = createLeaderElector({
    ...shared,
    lease: OPERATOR_LEASE,
    identity: 'vimana-up',
    ...(options.signsOfLife === 'assumed' ? { times: LEADING_ALONE } : {}),
    client,
    run: async (term) => {
      const measured = definedFields({ metrics: edge.metrics });
      const controllers = operatorControllers(settings, { ...shared, ...measured, events, client: term.guard(client) });
      await manager('operator', controllers).run(term.signal);
    },
  });
  measureVms(dialects, carbon, deps);
  return operator;
}

function operatorSettings(
  options: ComponentOptions,
  dialects: readonly Dialect[],
  carbon: Carbon,
  { fleet, informers, edge }: EmbeddedOperatorDeps,
): OperatorSettings {
  return {
    dialects,
    carbon,
    ...edge.images,
    usage: (instance) => usageOn(fleet, informers, instance),
    readsSecrets: true,
    rollout: options.rollout ?? 'LiveUpdate',
    nodeLostAfterMs: options.nodeLostAfterMs ?? NODE_LOST_AFTER_MS,
    ...definedFields({ referenceNode: options.referenceNode, defaultImage: options.defaultImage, fits: edge.fits }),
  };
}

function measureVms(
  dialects: readonly Dialect[],
  carbon: Carbon,
  { informers, edge: { metrics }, fleet }: EmbeddedOperatorDeps,
): void {
  if (metrics === undefined) return;
  const usage = (instance: Vmi) => usageOn(fleet, informers, instance);
  const vms = dialects.map((dialect) => ({
    dialect,
    cache: informers.of(resourceTypeFor(dialect.kind)).cache as Cache,
  }));
  const instances = informers.of(VMIS).cache;
  for (const measured of vmMetrics({ vms, instances, usage })) metrics.measure(measured);
  for (const measured of carbon.measures((instance) => usage(instance)?.cpuCores)) metrics.measure(measured);
}

/** Returns the usage of an instance's pod, which is on the node in the instance's status. */
function usageOn(fleet: SimulatedFleet, informers: Informers, { metadata, status }: Vmi) {
  const pods = informers.of(PODS).cache;
  for (const pod of pods.by(byController, controllerKey({ metadata }))) {
    if (pod.spec.nodeName !== status?.nodeName) continue;
    const usage = fleet.usageOf(pod);
    return usage === undefined ? undefined : { cpuCores: usage.cores, memoryBytes: usage.bytes };
  }
  return undefined;
}
