import { join } from 'node:path';
import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import { FREEZE_ANNOTATION } from '#api/launcher';
import type { NodeSize } from '#api/launcher-load';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { kubernetesControllers } from '#control-plane/controllers/kubernetes-controllers';
import type { SchedulerConfiguration } from '#control-plane/scheduler/config/configuration';
import { scheduler } from '#control-plane/scheduler/scheduler';
import { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { EXPORTER_RULES } from '#fleet/exporter/rbac';
import { PodManager } from '#fleet/library/pod-manager';
import { SCENARIO_RULES } from '#fleet/simulation/rbac';
import { scenarioController } from '#fleet/simulation/runner/scenario-controller';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { LEASES, type Node } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { byController, type Cache, controllerKey } from '#platform/runtime/cache';
import { runnable } from '#platform/runtime/controller';
import { Events } from '#platform/runtime/events/events';
import { Informers } from '#platform/runtime/informers';
import { createLeaderElector } from '#platform/runtime/leader-elector';
import { manager } from '#platform/runtime/manager';
import { Metrics } from '#platform/runtime/metrics';
import { EVENT_RULES, leaseRules } from '#platform/runtime/rbac';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { DialectName } from '#programs/cli/up';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { kindsOf } from '#programs/install/crds';
import { carbonOf, isCarbonAware } from '#programs/operator/carbon';
import { actsFor, dialectsOf, operatorControllers, operatorRules } from '#programs/operator/controllers';
import { isHypersdkOn } from '#programs/operator/hypersdk';
import type { CarbonSettings } from '#vm/carbon/settings';
import { webImageProbe } from '#vm/controllers/template/image-probe';
import type { Dialect } from '#vm/engine/dialect';
import { vmMetrics } from '#vm/engine/metrics';
import { subresourceExtensions } from '#vm/engine/subresources/extension';
import { USER_ROLES } from '#vm/engine/subresources/roles';
import { ImageVerifier } from '#vm/images/verifier';
import { type Fetch, webOf } from '#vm/images/web';
import { NODE_RULES, PROVISIONER_RULES } from '#vm/node/rbac';
import type { NodePool } from '#vm/node/simulated/node-pool';
import { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { simulatedProvisioner, simulatedReclaimer } from '#vm/node/simulated/storage/provisioner';
import { ensureStorageClasses } from '#vm/node/simulated/storage/storage-classes';
import { type ExplanationsOf, explanationsApi } from './explanations.ts';
import { type Changed, installComponents, SYSTEM_NAMESPACE } from './install.ts';
import { clearScenarioNodes, scenarioNodes } from './scenario-nodes.ts';
import { type UnselectedVms, unselectedVms } from './unselected-vms.ts';

export interface EmbeddedOptions {
  readonly dataDir?: string;
  readonly store: 'memory' | 'lmdb';
  readonly durability?: 'sync' | 'relaxed';
  readonly host?: string;
  readonly port?: number;
  readonly audit?: (line: string) => void;
  readonly dialects: readonly DialectName[];
  readonly pools: readonly NodePool[];
  /** Scheduler configuration. Defaults to that of kube-scheduler. */
  readonly scheduling?: SchedulerConfiguration;
  /** Start duration of pods that do not specify one. */
  readonly stageDelayMs?: number;
  readonly rollout?: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfterMs?: number;
  /**
   * Heartbeats of nodes. Defaults to 'given', by leases; 'assumed' is for simulated time, where leases would be most of
   * the work.
   */
  readonly signsOfLife?: 'given' | 'assumed';
  /** Bandwidth of each node's network interface in bytes per second. */
  readonly link?: number;
  /** Node size that fractional VM sizes refer to where simulated nodes differ. */
  readonly referenceNode?: NodeSize;
  /** Carbon settings. If absent, carbon awareness is off. */
  readonly carbon?: CarbonSettings;
  /** Downloads images for verification. If absent, they are not verified. */
  readonly images?: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Cancels the start, which then fails with the signal's reason. */
  readonly signal?: AbortSignal;
}

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

const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
/** Identity that reads for all parts together, so that each object is cached and each change is sent once. */
const READER = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
const SCHEDULER = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
const serviceAccount = (name: string) => ({
  name: `system:serviceaccount:${SYSTEM_NAMESPACE}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM_NAMESPACE}`, 'system:authenticated'],
});
const OPERATOR = 'vimana-operator';
const NODE = 'vimana-node';
const PROVISIONER = 'vimana-provisioner';
const EXPORTER = 'vimana-exporter';
const PLAYER = 'vimana-scenario';
const NODE_LOST_AFTER_MS = 40_000;
const HOUR = 3_600_000;
/** No other process could become the leader. */
const LEADING_ALONE = { leaseMs: 3 * HOUR, renewDeadlineMs: 2 * HOUR, retryMs: HOUR };

type ClientFor = ControlPlane['client'];
const LEASE = { namespace: SYSTEM_NAMESPACE, name: OPERATOR };

/**
 * Creates everything but the API server itself. It is created when clients are available, and started when the server
 * serves.
 */
function partsOf(options: EmbeddedOptions, dialects: readonly Dialect[], metrics: Metrics, clientFor: ClientFor) {
  const { clock, random, log } = options;
  const shared = { clock, random, log };
  const operatorClient = clientFor(serviceAccount(OPERATOR), 'vimana-operator');
  const informers = new Informers({ ...shared, client: clientFor(READER, 'vimana') });
  const events = new Events({ ...shared, client: operatorClient, onDrop: (why) => metrics.eventDropped(why) });
  const nodeParts = {
    ...shared,
    informers,
    client: clientFor(serviceAccount(NODE), 'vimana-node'),
    events: events.recorder('kubelet'),
  };
  const { stageDelayMs = 0 } = options;
  const defaults: Record<string, string> = stageDelayMs === 0 ? {} : { 'vimana.io/start-delay': `${stageDelayMs}ms` };
  const { dataDir, store } = options;
  // Container logs are kept as long as the objects that they belong to.
  const logFile = dataDir === undefined || store === 'memory' ? {} : { logFile: join(dataDir, 'container-logs') };
  const isAssumed = options.signsOfLife === 'assumed';
  const fleet = new SimulatedFleet(nodeParts, {
    pools: options.pools,
    renewLeases: !isAssumed,
    defaults,
    snapshots: isHypersdkOn(dialects),
    ...logFile,
    ...definedFields({ link: options.link }),
  });
  const placing = scheduler({
    ...shared,
    informers,
    client: clientFor(SCHEDULER, 'kube-scheduler'),
    events: events.recorder('default-scheduler'),
    ...(options.scheduling === undefined ? {} : { configuration: options.scheduling }),
  });
  const storage = { ...nodeParts, client: clientFor(serviceAccount(PROVISIONER), 'vimana-provisioner') };
  const carbon = carbonOf(isCarbonAware(dialects) ? options.carbon : undefined, {
    clock,
    log,
    informers,
    namespace: SYSTEM_NAMESPACE,
  });
  const images = options.images === undefined ? {} : imageParts(options.images, options);
  const operator = createLeaderElector({
    ...shared,
    lease: LEASE,
    identity: 'vimana-up',
    ...(isAssumed ? { times: LEADING_ALONE } : {}),
    client: operatorClient,
    informers,
    run: async (term) => {
      const settings = {
        dialects,
        carbon,
        ...images,
        usage: (instance: Vmi) => usageOn(fleet, informers, instance),
        readsSecrets: true,
        rollout: options.rollout ?? 'LiveUpdate',
        nodeLostAfterMs: options.nodeLostAfterMs ?? NODE_LOST_AFTER_MS,
        ...definedFields({ referenceNode: options.referenceNode }),
      };
      const parts = { ...shared, informers, events, metrics, client: term.guard(operatorClient) };
      await manager('operator', operatorControllers(settings, parts)).run(term.signal);
    },
  });
  for (const measured of vmMetrics({
    vms: dialects.map((dialect) => ({
      dialect,
      cache: informers.of(resourceTypeFor(dialect.kind)).cache as Cache,
    })),
    instances: informers.of(VMIS).cache,
    usage: (instance) => usageOn(fleet, informers, instance),
  })) {
    metrics.measure(measured);
  }
  for (const measured of carbon.measures((instance) => usageOn(fleet, informers, instance)?.cpuCores)) {
    metrics.measure(measured);
  }
  const explanations: ExplanationsOf = (namespace, name) => placing.explanationOf(namespace, name).toReversed();
  const extensions = [
    ...subresourceExtensions({
      client: clientFor(serviceAccount(OPERATOR), 'vimana-subresource'),
      dialects,
      random: random.fork('subresources'),
      events: events.recorder('virtualmachine-controller'),
    }),
    explanationsApi(explanations),
    fleet.metrics(),
  ];
  const provisioning = [runnable(simulatedProvisioner, storage), runnable(simulatedReclaimer(), storage)];
  return { informers, events, fleet, explanations, extensions, runnables: [placing, ...provisioning, fleet, operator] };
}

/** Reports whether a fault froze the node by annotation. Simulated nodes send no heartbeats in simulated time. */
const isFrozen = ({ metadata }: Node) => metadata.annotations?.[FREEZE_ANNOTATION] === 'true';

export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { clock, random, log, metrics = new Metrics() } = options;
  const chosen = dialectsOf(options.dialects);
  let kept: readonly UnselectedVms[] = [];
  let dialects: readonly Dialect[] = chosen;
  const runs = new Set(['VirtualMachineInstance', 'VirtualMachineInstanceMigration', 'SimulationScenario']);
  let parts: ReturnType<typeof partsOf> | undefined;
  const { dataDir, store, durability, host, port, audit } = options;
  const plane = await startVmControlPlane({
    ...definedFields({ dataDir, store, durability, host, port, audit }),
    operatorUser: serviceAccount(OPERATOR).name,
    actsOn: (kind) => runs.has(kind.kind) || actsFor(dialects)(kind),
    nodeRuntime: { logs: (request) => parts?.fleet.logs(request) },
    extensions: async (clientFor) => {
      kept = await unselectedVms(clientFor(ADMIN, 'vimana'), chosen);
      dialects = [...chosen, ...kept.map(({ dialect }) => dialect)];
      parts = partsOf(options, dialects, metrics, clientFor);
      return parts.extensions;
    },
    clock,
    random,
    log,
  });
  if (parts === undefined) throw new Error('the API server asked for no extensions');
  const admin = plane.client(ADMIN, 'vimana');
  let changed: Changed = { shortNames: false };
  try {
    options.signal?.throwIfAborted();
    await Promise.race([
      prepare(admin, options, dialects).then((found) => (changed = found)),
      ...(options.signal === undefined ? [] : [waitForAbort(options.signal)]),
    ]);
    options.signal?.throwIfAborted();
  } catch (error) {
    await plane.stop();
    throw error;
  }
  const stop = new AbortController();
  const { informers, events, fleet, explanations, runnables } = parts;
  const usual = definedFields({ referenceNode: options.referenceNode });
  const exporterClient = plane.client(serviceAccount(EXPORTER), EXPORTER);
  const exporter = !options.dialects.includes('simulation')
    ? undefined
    : new ClusterFleet({
        client: exporterClient,
        informers,
        clock,
        pods: new PodManager({ client: exporterClient, clock, random: random.fork(EXPORTER), ...usual }),
        namespace: 'default',
        lifetime: stop.signal,
        log,
        ...usual,
      });
  const kubernetes = kubernetesControllers({
    clock,
    random,
    log,
    informers,
    clientFor: (user) => plane.client(user, 'kube-controller-manager'),
    caPem: plane.pki.caPem,
    nodeEvents: events.recorder('node-controller'),
    ...(options.signsOfLife === 'assumed' ? { isNodeSilent: isFrozen } : {}),
  });
  const scenarios =
    exporter === undefined
      ? []
      : [
          runnable(scenarioController({ informers, fleet: exporter, nodes: scenarioNodes(fleet) }), {
            clock,
            random,
            log,
            informers,
            client: plane.client(serviceAccount(PLAYER), PLAYER),
            events: events.recorder('scenario-controller'),
          }),
        ];
  const ended = manager('vimana up', [informers, events, ...kubernetes, ...runnables, ...scenarios]).run(stop.signal);
  return {
    plane,
    admin,
    metrics,
    informers,
    fleet,
    exporter,
    explanations,
    kept,
    changed,
    ended,
    async stop() {
      stop.abort();
      await ended.catch(() => {});
      await plane.stop();
    },
  };
}

/** Installs what all parts require before they start. */
async function prepare(admin: Client, options: EmbeddedOptions, dialects: readonly Dialect[]): Promise<Changed> {
  const changed = await installComponents(admin, {
    kinds: kindsOf(options.dialects),
    actors: [
      { name: OPERATOR, rules: [...operatorRules(dialects), ...leaseRules(LEASE.name), ...EVENT_RULES] },
      { name: NODE, rules: NODE_RULES },
      { name: PROVISIONER, rules: PROVISIONER_RULES },
      ...(options.dialects.includes('simulation')
        ? [
            { name: EXPORTER, rules: EXPORTER_RULES },
            { name: PLAYER, rules: [...SCENARIO_RULES, ...EVENT_RULES] },
          ]
        : []),
    ],
    roles: USER_ROLES,
  });
  await ensureStorageClasses(admin);
  await clearScenarioNodes(admin);
  // Only a process with the data directory's lock can have held this lease, so its previous holder is gone.
  await admin.delete(LEASES, LEASE.name, { namespace: LEASE.namespace }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  return changed;
}

/** Creates the probe and the verifier of images for the lifetime of the process. */
function imageParts(fetch: Fetch, { clock, log }: EmbeddedOptions) {
  const web = webOf(fetch);
  return { images: webImageProbe(web, clock), verifier: new ImageVerifier({ web, clock, log }) };
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

/** Returns the options without undefined fields. */
function definedFields<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
