import type { ClientFor } from '#control-plane/apiserver/request-handler';
import { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { PodManager } from '#fleet/library/pod-manager';
import { scenarioController } from '#fleet/simulation/runner/scenario-controller';
import { definedFields } from '#platform/base/defined-fields';
import { runnable } from '#platform/runtime/controller';
import type { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import type { Components } from './components.ts';
import type { ComponentOptions } from './embedded-options.ts';
import { EXPORTER, SCENARIO_RUNNER, serviceAccount } from './identities.ts';
import { scenarioNodes } from './scenario-nodes.ts';

/** Creates the fleet of the exporter. Returns undefined if simulated VMs are not served. */
export function createExporterFleet(
  { clock, random, log, dialects, referenceNode }: ComponentOptions,
  clientFor: ClientFor,
  informers: Informers,
  lifetime: AbortSignal,
): ClusterFleet | undefined {
  if (!dialects.includes('simulation')) return undefined;
  const client = clientFor(serviceAccount(EXPORTER), EXPORTER);
  const size = definedFields({ referenceNode });
  const pods = new PodManager({ client, clock, random: random.fork(EXPORTER), ...size });
  return new ClusterFleet({ client, informers, clock, pods, namespace: 'default', lifetime, log, ...size });
}

/** Creates what plays SimulationScenarios on the fleet of the exporter. */
export function scenarioRunnables(
  { clock, random, log }: ComponentOptions,
  clientFor: ClientFor,
  { informers, events, fleet }: Components,
  exporter: ClusterFleet,
): Runnable[] {
  const controller = scenarioController({ informers, fleet: exporter, nodes: scenarioNodes(fleet) });
  const client = clientFor(serviceAccount(SCENARIO_RUNNER), SCENARIO_RUNNER);
  return [
    runnable(controller, { clock, random, log, informers, client, events: events.recorder('scenario-controller') }),
  ];
}
