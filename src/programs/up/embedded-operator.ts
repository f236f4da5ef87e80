import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { byController, type Cache, controllerKey } from '#platform/runtime/cache';
import type { Events } from '#platform/runtime/events/events';
import type { Informers } from '#platform/runtime/informers';
import { createLeaderElector } from '#platform/runtime/leader-elector';
import { manager } from '#platform/runtime/manager';
import type { Metrics } from '#platform/runtime/metrics';
import type { Runnable } from '#platform/runtime/runnable';
import { definedFields } from '#programs/cli/objects/defined-fields';
import { type Carbon, carbonOf, isCarbonAware } from '#programs/operator/carbon';
import { type OperatorSettings, operatorControllers } from '#programs/operator/controllers';
import { webImageProbe } from '#vm/controllers/template/image-probe';
import type { Dialect } from '#vm/engine/dialect';
import { vmMetrics } from '#vm/engine/metrics';
import { ImageVerifier } from '#vm/images/verifier';
import { webOf } from '#vm/images/web';
import type { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import type { EmbeddedOptions } from './embedded-options.ts';
import { OPERATOR_LEASE } from './identities.ts';
import { SYSTEM_NAMESPACE } from './install.ts';

export interface EmbeddedOperatorDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly fleet: SimulatedFleet;
}

const NODE_LOST_AFTER_MS = 40_000;
const HOUR = 3_600_000;
/** No other process could become the leader. */
const LEADING_ALONE = { leaseMs: 3 * HOUR, renewDeadlineMs: 2 * HOUR, retryMs: HOUR };

/** Creates the operator, and measures its VMs. */
export function createEmbeddedOperator(
  options: EmbeddedOptions,
  dialects: readonly Dialect[],
  deps: EmbeddedOperatorDeps,
): Runnable {
  const { clock, random, log } = options;
  const { client, informers, events, metrics } = deps;
  const carbon = carbonOf(isCarbonAware(dialects) ? options.carbon : undefined, {
    clock,
    log,
    informers,
    namespace: SYSTEM_NAMESPACE,
  });
  const settings = operatorSettings(options, dialects, carbon, deps);
  const shared = { clock, random, log, informers };
  const operator = createLeaderElector({
    ...shared,
    lease: OPERATOR_LEASE,
    identity: 'vimana-up',
    ...(options.signsOfLife === 'assumed' ? { times: LEADING_ALONE } : {}),
    client,
    run: async (term) => {
      const controllers = operatorControllers(settings, { ...shared, events, metrics, client: term.guard(client) });
      await manager('operator', controllers).run(term.signal);
    },
  });
  measureVms(dialects, carbon, deps);
  return operator;
}

function operatorSettings(
  options: EmbeddedOptions,
  dialects: readonly Dialect[],
  carbon: Carbon,
  { fleet, informers }: EmbeddedOperatorDeps,
): OperatorSettings {
  return {
    dialects,
    carbon,
    ...imageParts(options),
    usage: (instance) => usageOn(fleet, informers, instance),
    readsSecrets: true,
    rollout: options.rollout ?? 'LiveUpdate',
    nodeLostAfterMs: options.nodeLostAfterMs ?? NODE_LOST_AFTER_MS,
    ...definedFields({ referenceNode: options.referenceNode }),
  };
}

/** Creates the probe and the verifier of images for the lifetime of the process, if images are verified. */
function imageParts({ images: fetch, clock, log }: EmbeddedOptions): Pick<OperatorSettings, 'images' | 'verifier'> {
  if (fetch === undefined) return {};
  const web = webOf(fetch);
  return { images: webImageProbe(web, clock), verifier: new ImageVerifier({ web, clock, log }) };
}

function measureVms(
  dialects: readonly Dialect[],
  carbon: Carbon,
  { informers, metrics, fleet }: EmbeddedOperatorDeps,
): void {
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
