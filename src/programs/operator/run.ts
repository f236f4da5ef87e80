import { hostname } from 'node:os';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import type { Clock } from '#platform/base/clock';
import { hostClock } from '#platform/base/host-clock';
import type { Logger } from '#platform/base/logger';
import { createLogger } from '#platform/base/pino-logger';
import { type Random, systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import type { Cache } from '#platform/runtime/cache';
import { Events } from '#platform/runtime/events/events';
import { type Checks, healthRoutes } from '#platform/runtime/http/health-routes';
import type { HttpServer } from '#platform/runtime/http/http-server';
import { metricsRoute } from '#platform/runtime/http/metrics-route';
import { Informers } from '#platform/runtime/informers';
import { createLeaderElector } from '#platform/runtime/leader-elector';
import { manager } from '#platform/runtime/manager';
import { Metrics } from '#platform/runtime/metrics';
import type { Runnable } from '#platform/runtime/runnable';
import { serverLog } from '#programs/cli/log-stream';
import type { OperatorFlags } from '#programs/cli/operator';
import { connect } from '#programs/connect';
import { type Carbon, carbonOf, isCarbonAware } from '#programs/operator/carbon';
import { dialectsOf, isMeasured, type OperatorSettings, operatorControllers } from '#programs/operator/controllers';
import { webImageProbe } from '#vm/controllers/template/image-probe';
import type { Dialect } from '#vm/engine/dialect';
import { MeasuredUsage } from '#vm/engine/measured-usage';
import { vmMetrics } from '#vm/engine/metrics';
import { checkedFetch } from '#vm/images/checked-fetch';
import { ImageVerifier } from '#vm/images/verifier';
import { webOf } from '#vm/images/web';
import { carbonSources } from './carbon-sources.ts';
import { threadedFits } from './fit-thread.ts';
import { listen } from './listen.ts';
import { namespacedClient } from './namespaced-client.ts';
import { type NamedFlags, resolveNames } from './resolve-names.ts';
import { ownHosts, startServing } from './serving.ts';
import { storedRecheck } from './stored-recheck.ts';
import { besideKubevirt, isUpstreamKubevirt } from './upstream-kubevirt.ts';

/** Runs `vimana operator` until SIGINT or SIGTERM. A second signal ends it at once. */
export async function runOperator(flags: OperatorFlags): Promise<void> {
  const clock = hostClock;
  const { logLevel: level, logFormat: format } = flags;
  const log = createLogger({ level, format, clock, destination: serverLog() });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      stop.abort();
      process.once(signal, () => process.exit(130));
    });
  }
  const connection = await connect(flags.access);
  // A separate connection keeps other requests from delaying a renewal.
  const forLease = await connect(flags.access);
  try {
    const { client, namespace } = connection;
    const taken = (await isUpstreamKubevirt({ client, clock, log }, stop.signal)) ? besideKubevirt(flags, log) : flags;
    const complete = await resolveNames(taken, { client, clock, log }, stop.signal);
    if (stop.signal.aborted) return;
    const operator = await startOperator(complete, {
      client,
      forLease: forLease.client,
      namespace,
      clock,
      random: systemRandom(),
      log,
    });
    await operator.run(stop.signal);
    log.info('stopped');
  } finally {
    await Promise.all([connection.close(), forLease.close()]);
  }
}

interface OperatorEnvironment {
  readonly client: Client;
  readonly forLease: Client;
  /** Namespace of the pod or the context. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** State that the controllers, the servers and the metrics of one operator share. */
interface SharedState {
  readonly dialects: readonly Dialect[];
  readonly metrics: Metrics;
  readonly informers: Informers;
  readonly events: Events;
  /** Absent if no dialect reports usage. */
  readonly usage: MeasuredUsage | undefined;
  readonly carbon: Carbon;
}

/** Binds the ports first, so that an unavailable one is reported before anything is done, and returns what to run. */
async function startOperator(flags: NamedFlags, environment: OperatorEnvironment): Promise<Runnable> {
  const { client, namespace, clock, random, log } = environment;
  const shared = { clock, random, log };
  const state = createSharedState(flags, environment);
  const { dialects, metrics, informers, events, usage } = state;
  const settings = controllerSettings(flags, state, environment);
  // A standby follows everything too, so that it can act at once when it becomes the leader.
  operatorControllers(settings, { ...shared, client, informers, events });
  const serving =
    flags.webhookPort === 0
      ? undefined
      : await startServing(flags, {
          ...shared,
          client,
          namespace,
          dialects,
          informers,
          events: events.recorder('virtualmachine-controller'),
        });

  const act = (acting: Client): Runnable =>
    manager('operator', [
      ...operatorControllers(settings, { ...shared, client: acting, informers, events, metrics }),
      ...(serving === undefined ? [] : [serving.leading(acting)]),
      ...(usage === undefined ? [] : [{ name: 'usage', run: usage.run.bind(usage) }]),
    ]);
  const turns = electLeader(flags, environment, informers, act);
  measure(metrics, informers, state, () => turns.isLeader);

  let stopping = false;
  const ready: Checks = {
    caches: () => (informers.unsynced.length === 0 ? undefined : `not complete: ${informers.unsynced.join(', ')}`),
    running: () => (stopping ? 'stopping' : undefined),
    ...serving?.ready,
  };
  const allowedHosts = [...ownHosts(flags, namespace), ...flags.allowedHosts];
  const servers = await serversOf(flags, ready, metrics, { clock, log, allowedHosts });
  log.info({ dialects: flags.dialects, namespace: flags.watchNamespace, leaderElect: flags.leaderElect }, 'started');
  const tasks = [...servers, informers, events, ...(serving === undefined ? [] : [serving]), turns];
  return {
    name: 'operator',
    async run(signal) {
      signal.addEventListener('abort', () => (stopping = true), { once: true });
      await manager('operator', tasks).run(signal);
    },
  };
}

function createSharedState(flags: NamedFlags, environment: OperatorEnvironment): SharedState {
  const { client, namespace, clock, random, log } = environment;
  const dialects = dialectsOf(flags.dialects);
  const metrics = new Metrics({ process: true });
  const informers = new Informers({
    clock,
    random,
    log,
    client: namespacedClient(client, flags.watchNamespace),
  });
  const events = new Events({ clock, random, log, client, onDrop: (why) => metrics.eventDropped(why) });
  const usage = isMeasured(dialects) ? measuredUsage(informers, flags.watchNamespace, environment) : undefined;
  const carbon = carbonOf(isCarbonAware(dialects) ? flags.carbon : undefined, {
    clock,
    log,
    informers,
    namespace,
    sources: carbonSources(),
  });
  return { dialects, metrics, informers, events, usage, carbon };
}

function controllerSettings(
  flags: NamedFlags,
  { dialects, carbon, usage }: SharedState,
  { clock, log }: OperatorEnvironment,
): OperatorSettings {
  const web = webOf(checkedFetch(flags.imageHosts));
  return {
    dialects,
    carbon,
    instances: flags.instances,
    ...(usage === undefined ? {} : { usage: usage.of.bind(usage) }),
    rollout: flags.vmRolloutStrategy,
    nodeLostAfterMs: flags.nodeLostAfter,
    referenceNode: flags.referenceNode,
    recheck: storedRecheck(),
    fits: threadedFits(clock),
    ...(flags.checkImages || flags.verifyImages ? { images: webImageProbe(web, clock) } : {}),
    ...(flags.verifyImages ? { verifier: new ImageVerifier({ web, clock, log }) } : {}),
    ...(flags.watchNamespace === '' ? {} : { onlyNamespace: flags.watchNamespace }),
    ...(flags.defaultImage === undefined ? {} : { defaultImage: flags.defaultImage }),
    ...(flags.workers === undefined ? {} : { workers: flags.workers }),
  };
}

/** Runs the tasks of the leader while this operator is elected, or always if there is no election. */
function electLeader(
  flags: NamedFlags,
  { client, forLease, namespace, clock, random, log }: OperatorEnvironment,
  informers: Informers,
  act: (acting: Client) => Runnable,
): Runnable & { readonly isLeader: boolean } {
  if (!flags.leaderElect) return { ...act(client), isLeader: true };
  return createLeaderElector({
    clock,
    random,
    log,
    lease: { namespace: flags.leaderElectionNamespace ?? namespace, name: flags.leaderElectionId },
    identity: hostname(),
    client: forLease,
    informers,
    run: (term) => act(term.guard(client)).run(term.signal),
  });
}

function measuredUsage(
  informers: Informers,
  namespace: string,
  { client, clock, log }: OperatorEnvironment,
): MeasuredUsage {
  const [pods, nodes] = [informers.of(PODS).cache, informers.of(NODES).cache];
  return new MeasuredUsage({ client, clock, log, pods, nodes, namespace });
}

async function serversOf(
  { metrics: measured, health }: OperatorFlags,
  ready: Checks,
  metrics: Metrics,
  shared: { readonly clock: Clock; readonly log: Logger; readonly allowedHosts: readonly string[] },
): Promise<HttpServer[]> {
  const servers: HttpServer[] = [];
  if (health !== 'nowhere') {
    const routes = healthRoutes({ live: { running: () => undefined }, ready });
    servers.push(await listen(health, '--health-probe-bind-addr', { ...shared, routes }));
  }
  if (measured !== 'nowhere') {
    servers.push(await listen(measured, '--metrics-bind-addr', { ...shared, routes: [metricsRoute(metrics)] }));
  }
  return servers;
}

/** Registers metrics. Only the leader counts VMs, since sums over several operators would be wrong. */
function measure(
  metrics: Metrics,
  informers: Informers,
  { dialects, carbon, usage }: Pick<SharedState, 'dialects' | 'carbon' | 'usage'>,
  leads: () => boolean,
): void {
  const vms = dialects.map((dialect) => ({
    dialect,
    cache: informers.of(resourceTypeFor(dialect.kind)).cache as Cache,
  }));
  const measures = [
    ...vmMetrics({ vms, instances: informers.of(VMIS).cache, usage: (instance) => usage?.of(instance) }),
    ...carbon.measures((instance) => usage?.of(instance)?.cpuCores),
  ];
  for (const each of measures) metrics.measure({ ...each, values: () => (leads() ? each.values() : []) });
  metrics.measure({
    name: 'vimana_leader',
    help: 'Whether this operator is the leader.',
    labels: [],
    values: () => [{ labels: {}, value: leads() ? 1 : 0 }],
  });
}
