import type { ClientFor } from '#control-plane/apiserver/request-handler';
import { definedFields } from '#platform/base/defined-fields';
import { runnable } from '#platform/runtime/controller';
import type { Events } from '#platform/runtime/events/events';
import type { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import { hasOperations } from '#vm/dialects/has-operations';
import type { Dialect } from '#vm/engine/dialect';
import type { LogStore } from '#vm/node/agent/container-logs';
import { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { simulatedProvisioner, simulatedReclaimer } from '#vm/node/simulated/storage/provisioner';
import type { ComponentOptions, MachineDrivers } from './embedded-options.ts';
import { NODE, PROVISIONER, serviceAccount } from './identities.ts';

export interface SimulatedNodesDeps {
  readonly clientFor: ClientFor;
  readonly informers: Informers;
  readonly events: Events;
  readonly containerLogs?: LogStore | undefined;
  /** Drivers of nodes that run real machines. */
  readonly drivers?: MachineDrivers | undefined;
  /** Deletes the disk of a claim with this UID, which real machines have used. */
  readonly deleteClaim?: ((uid: string) => Promise<void>) | undefined;
}

export interface SimulatedNodes {
  readonly fleet: SimulatedFleet;
  /** Controllers that provision and reclaim the volumes of the nodes. */
  readonly provisioning: readonly Runnable[];
}

/** Creates the simulated nodes and their storage. */
export function createSimulatedNodes(
  options: ComponentOptions,
  dialects: readonly Dialect[],
  { clientFor, informers, events, containerLogs, drivers, deleteClaim }: SimulatedNodesDeps,
): SimulatedNodes {
  const { clock, random, log, stageDelayMs = 0 } = options;
  const shared = { clock, random, log, informers, events: events.recorder('kubelet') };
  const fleet = new SimulatedFleet(
    { ...shared, client: clientFor(serviceAccount(NODE), 'vimana-node') },
    {
      pools: options.pools,
      renewLeases: options.signsOfLife !== 'assumed',
      defaults: stageDelayMs === 0 ? {} : { 'vimana.io/start-delay': `${stageDelayMs}ms` },
      snapshots: hasOperations(dialects),
      ...definedFields({ link: options.link, containerLogs, drivers }),
    },
  );
  const storage = { ...shared, client: clientFor(serviceAccount(PROVISIONER), 'vimana-provisioner') };
  const reclaimer = simulatedReclaimer(undefined, deleteClaim);
  return { fleet, provisioning: [runnable(simulatedProvisioner, storage), runnable(reclaimer, storage)] };
}
