import { type ControlPlane, type OpenControlPlane, openControlPlane } from '#control-plane/apiserver/control-plane';
import type { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import type { Client } from '#platform/kube/client';
import type { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { Metrics } from '#platform/runtime/metrics';
import { definedFields } from '#programs/cli/objects/defined-fields';
import { vmPlugins } from '#programs/embedded/vm-plugins';
import { actsFor, dialectsOf } from '#programs/operator/controllers';
import type { Dialect } from '#vm/engine/dialect';
import type { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { type Components, createComponents, createKubernetesControllers } from './components.ts';
import type { EmbeddedOptions } from './embedded-options.ts';
import type { ExplanationsOf } from './explanations.ts';
import { createExporterFleet, scenarioRunnables } from './exporter-fleet.ts';
import { ADMIN, OPERATOR, serviceAccount } from './identities.ts';
import type { Changed } from './install.ts';
import { prepareUnlessAborted } from './prepare.ts';
import { type UnselectedVms, unselectedVms } from './unselected-vms.ts';

export type { EmbeddedOptions } from './embedded-options.ts';

/** Control plane with scheduler, nodes and operator, all in this process. */
export interface Embedded {
  readonly plane: ControlPlane;
  /** Client with all permissions. */
  readonly admin: Client;
  readonly metrics: Metrics;
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

/** Starts everything in this process. If a part cannot be started, those before it are stopped. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { clock, random, log, metrics = new Metrics() } = options;
  const { dataDir, store, durability, host, port, audit } = options;
  const opened = await openControlPlane({
    ...definedFields({ dataDir, store, durability, host, port, audit }),
    clock,
    random,
    log,
  });
  const { kept, dialects, components } = await orStop(opened, async () => {
    const chosen = dialectsOf(options.dialects);
    const kept = await unselectedVms(opened.client(ADMIN, 'vimana'), chosen);
    const dialects = [...chosen, ...kept.map(({ dialect }) => dialect)];
    return { kept, dialects, components: createComponents(options, dialects, metrics, opened.client) };
  });
  const plane = await serve(opened, dialects, components);
  const admin = plane.client(ADMIN, 'vimana');
  const changed = await orStop(plane, () => prepareUnlessAborted(admin, options, dialects));
  const running = runComponents(options, plane, components);
  const { informers, fleet, explanations } = components;
  return { plane, admin, metrics, informers, fleet, explanations, kept, changed, ...running };
}

/** Runs a step of the start. If it fails, the control plane is stopped. */
async function orStop<T>(plane: Pick<ControlPlane, 'stop'>, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function serve(
  opened: OpenControlPlane,
  dialects: readonly Dialect[],
  { fleet, extensions }: Components,
): Promise<ControlPlane> {
  const acts = actsFor(dialects);
  return await opened.serve({
    plugins: vmPlugins({
      operatorUser: serviceAccount(OPERATOR).name,
      actsOn: (kind) => ALWAYS_RUN.has(kind.kind) || acts(kind),
    }),
    nodeRuntime: fleet,
    extensions,
  });
}

/** Runs all components, and those that need a control plane that serves. */
function runComponents(
  options: EmbeddedOptions,
  plane: ControlPlane,
  components: Components,
): Pick<Embedded, 'exporter' | 'ended' | 'stop'> {
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
