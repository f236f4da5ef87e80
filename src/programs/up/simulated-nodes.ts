import { join } from 'node:path';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { runnable } from '#platform/runtime/controller';
import type { Events } from '#platform/runtime/events/events';
import type { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import { definedFields } from '#programs/cli/objects/defined-fields';
import { hasOperations } from '#vm/dialects/has-operations';
import type { Dialect } from '#vm/engine/dialect';
import { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { simulatedProvisioner, simulatedReclaimer } from '#vm/node/simulated/storage/provisioner';
import type { EmbeddedOptions } from './embedded-options.ts';
import { NODE, PROVISIONER, serviceAccount } from './identities.ts';

export interface SimulatedNodesDeps {
  readonly clientFor: ControlPlane['client'];
  readonly informers: Informers;
  readonly events: Events;
}

export interface SimulatedNodes {
  readonly fleet: SimulatedFleet;
  /** Controllers that provision and reclaim the volumes of the nodes. */
  readonly provisioning: readonly Runnable[];
}

/** Creates the simulated nodes and their storage. */
export function createSimulatedNodes(
  options: EmbeddedOptions,
  dialects: readonly Dialect[],
  { clientFor, informers, events }: SimulatedNodesDeps,
): SimulatedNodes {
  const { clock, random, log, dataDir, store, stageDelayMs = 0 } = options;
  const shared = { clock, random, log, informers, events: events.recorder('kubelet') };
  const fleet = new SimulatedFleet(
    { ...shared, client: clientFor(serviceAccount(NODE), 'vimana-node') },
    {
      pools: options.pools,
      renewLeases: options.signsOfLife !== 'assumed',
      defaults: stageDelayMs === 0 ? {} : { 'vimana.io/start-delay': `${stageDelayMs}ms` },
      snapshots: hasOperations(dialects),
      // Container logs are kept as long as the objects that they belong to.
      ...(dataDir === undefined || store === 'memory' ? {} : { logFile: join(dataDir, 'container-logs') }),
      ...definedFields({ link: options.link }),
    },
  );
  const storage = { ...shared, client: clientFor(serviceAccount(PROVISIONER), 'vimana-provisioner') };
  return { fleet, provisioning: [runnable(simulatedProvisioner, storage), runnable(simulatedReclaimer(), storage)] };
}
