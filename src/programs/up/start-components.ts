import type { ClientFor } from '#control-plane/apiserver/request-handler';
import type { ServeOptions } from '#control-plane/apiserver/server-additions';
import type { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import type { Client } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import type { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { definedFields } from '#programs/cli/objects/defined-fields';
import { vmShortNameGroup } from '#programs/cli/vm-short-name';
import { vmPlugins } from '#programs/embedded/vm-plugins';
import { actsFor, dialectsOf } from '#programs/operator/controllers';
import type { Dialect } from '#vm/engine/dialect';
import type { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { type Components, createComponents, createKubernetesControllers, type ServingPlane } from './components.ts';
import type { ComponentOptions, EdgeParts } from './embedded-options.ts';
import type { ExplanationsOf } from './explanations.ts';
import { createExporterFleet, scenarioRunnables } from './exporter-fleet.ts';
import { ADMIN, nodeUser, OPERATOR, serviceAccount } from './identities.ts';
import type { Changed } from './install.ts';
import { ShortNameAdvice } from './moved-short-name.ts';
import { prepareUnlessAborted } from './prepare.ts';
import { assertNoVms, type UnselectedVms, unselectedVms } from './unselected-vms.ts';

/** API server that does not serve yet, but has clients. */
export interface OpenPlane<P extends ServingPlane> {
  readonly client: ClientFor;
  serve(added: ServeOptions): Promise<P>;
  stop(): Promise<void>;
}

/** API server with scheduler, nodes and operator, all in this process. */
export interface Cluster<P extends ServingPlane> {
  readonly plane: P;
  /** Client with all permissions. */
  readonly admin: Client;
  readonly informers: Informers;
  readonly fleet: SimulatedFleet;
  /** Fleet of the exporter. Undefined if simulated VMs are not served. */
  readonly exporter: ClusterFleet | undefined;
  /** Recorded scheduling attempts of a pod. */
  readonly explanations: ExplanationsOf;
  /** VMs of groups that were not chosen, which are managed too. */
  readonly kept: readonly UnselectedVms[];
  /** Changes that this start made to the state of an earlier one. */
  readonly changed: Changed;
  /** Resolves when everything has ended, and rejects if a part failed. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Kinds that run whichever dialects are chosen. */
const ALWAYS_RUN = new Set(['VirtualMachineInstance', 'VirtualMachineInstanceMigration', 'SimulationScenario']);

/** Starts everything beside the API server. If a part cannot be started, those before it are stopped. */
export async function startComponents<P extends ServingPlane>(
  opened: OpenPlane<P>,
  options: ComponentOptions,
  edge: EdgeParts = {},
): Promise<Cluster<P>> {
  const { kept, dialects, components } = await orStop(opened, async () => {
    const chosen = dialectsOf(options.dialects);
    const client = opened.client(ADMIN, 'vimana');
    if (options.mustBeEmpty !== undefined) await assertNoVms(client, options.mustBeEmpty);
    const kept = await unselectedVms(client, chosen);
    const dialects = [...chosen, ...kept.map(({ dialect }) => dialect)];
    const clientOfNode = (node: string) => opened.client(nodeUser(node), 'vimana-node');
    const drivers = await edge.openDrivers?.({ clusterUid: await clusterUid(client), clientOfNode });
    const components = createComponents(options, dialects, { ...edge, ...definedFields({ drivers }) }, opened.client);
    return { kept, dialects, components };
  });
  const advice = new ShortNameAdvice(options.clock);
  const plane = await serve(opened, dialects, components, {
    preferredGroup: vmShortNameGroup(options.dialects, options.vmShortName),
    advise: advice.advise,
  });
  const admin = plane.client(ADMIN, 'vimana');
  const changed = await orStop(plane, () => prepareUnlessAborted(admin, options, dialects));
  advice.moved = changed.shortName;
  const running = runComponents(options, plane, components);
  const { informers, fleet, explanations } = components;
  return { plane, admin, informers, fleet, explanations, kept, changed, ...running };
}

/** Returns what identifies the cluster: the UID of its first namespace, by convention. */
async function clusterUid(admin: Client): Promise<string> {
  return (await admin.get(NAMESPACES, 'kube-system')).metadata.uid ?? '';
}

/** Runs a step of the start. If it fails, the control plane is stopped. */
async function orStop<T>(plane: Pick<ServingPlane, 'stop'>, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function serve<P extends ServingPlane>(
  opened: OpenPlane<P>,
  dialects: readonly Dialect[],
  { fleet, extensions }: Components,
  named: Pick<ServeOptions, 'preferredGroup' | 'advise'>,
): Promise<P> {
  const acts = actsFor(dialects);
  return await opened.serve({
    plugins: vmPlugins({
      operatorUser: serviceAccount(OPERATOR).name,
      actsOn: (kind) => ALWAYS_RUN.has(kind.kind) || acts(kind),
    }),
    nodeRuntime: fleet.runtime,
    extensions,
    ...named,
  });
}

/** Runs all components, and those that need a control plane that serves. */
function runComponents(
  options: ComponentOptions,
  plane: ServingPlane,
  components: Components,
): Pick<Cluster<ServingPlane>, 'exporter' | 'ended' | 'stop'> {
  const { informers, events, runnables } = components;
  const stop = new AbortController();
  const exporter = createExporterFleet(options, plane.client, informers, stop.signal);
  const kubernetes = createKubernetesControllers(options, plane, components);
  const scenarios = exporter === undefined ? [] : scenarioRunnables(options, plane.client, components, exporter);
  const ended = manager('vimana up', [informers, events, ...kubernetes, ...runnables, ...scenarios]).run(stop.signal);
  return {
    exporter,
    ended,
    async stop() {
      stop.abort();
      await ended.catch(() => {});
      await plane.stop();
    },
  };
}
