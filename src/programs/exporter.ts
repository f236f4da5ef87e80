import { readFileSync } from 'node:fs';
import { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { type FleetBackend, RejectedError } from '#fleet/exporter/fleet-backend';
import { formatCause } from '#fleet/exporter/format-cause';
import { InMemoryFleet } from '#fleet/exporter/in-memory-fleet';
import { LAUNCHER_SELECTOR } from '#fleet/exporter/launcher-usage';
import { exporterRoutes, formatRejection, IN_MEMORY } from '#fleet/exporter/routes';
import { readFleetSpec } from '#fleet/exporter/scenario-request';
import { PodManager } from '#fleet/library/pod-manager';
import { type Clock, realClock } from '#platform/base/clock';
import { VimanaError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import { createLogger } from '#platform/base/pino-logger';
import { systemRandom } from '#platform/base/random';
import { type AccessToken, createAccessToken, openAccessToken, tokenFileOf } from '#platform/kube/access-token';
import { createAuthorizer } from '#platform/runtime/http/access';
import { startHttpServer } from '#platform/runtime/http/http-server';
import { tokenReview } from '#platform/runtime/http/token-review';
import { Informers } from '#platform/runtime/informers';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { Connection } from '#programs/cli/connection';
import type { ExporterFlags } from '#programs/cli/exporter';
import { serverLog } from '#programs/cli/log-stream';
import { connect } from './connect.ts';

/** Time for the cluster to respond before it counts as unreachable. */
const RESPONSE_TIMEOUT_MS = 5_000;
/** Interval between attempts to reach a cluster that has not responded. */
const RETRY_MS = 5_000;

/** Runs `vimana exporter` until SIGINT or SIGTERM. */
export async function runExporter(flags: ExporterFlags): Promise<void> {
  const clock = realClock;
  const { logLevel: level, logFormat: format, host, port } = flags;
  const log = createLogger({ level, format, clock, destination: serverLog() });
  const stop = new AbortController();
  const { signal } = stop;
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const desired = flags.scenario === undefined ? undefined : scenarioAt(flags.scenario, log);
  const connection = await tryConnect(flags, log);
  const running: Promise<void>[] = [];
  let token = flags.tokenFile === undefined ? undefined : openAccessToken(flags.tokenFile);
  const review = connection === undefined ? undefined : tokenReview(connection.client, log);
  try {
    const isThere = connection !== undefined && (await answers(connection, flags, clock, log));
    const follow = (to: Connection) => {
      const { fleet, informers } = followCluster(to, flags, clock, log, signal);
      running.push(informers.run(signal));
      return fleet;
    };
    const cluster = isThere ? follow(connection) : undefined;
    const fleet = cluster ?? new InMemoryFleet(clock);
    const server = await startHttpServer({
      host,
      port,
      clock,
      log,
      refusal: formatRejection,
      routes: exporterRoutes(fleet),
      allowedHosts: flags.allowedHosts,
      authorize: createAuthorizer({ token: () => token, review: () => review }),
    });
    running.push(server.run(signal));
    token ??= newToken(tokenFileOf(host, server.port), log);
    await Promise.race([cluster?.synced(), waitForAbort(signal)]);
    if (desired !== undefined) await load(fleet, desired, log, signal);
    log.info({ url: server.url }, 'serving metrics');
    if (token !== undefined) log.info({ tokenFile: token.file }, 'clients of other users and hosts need this token');
    if (connection !== undefined && !isThere) {
      await waitForCluster(connection, clock, signal);
      if (signal.aborted) return;
      const late = follow(connection);
      await Promise.race([late.synced(), waitForAbort(signal)]);
      for (const route of exporterRoutes(late)) server.mount(route);
      // A load that this cluster rejects is no reason to exit, since it can be sent again.
      if (desired !== undefined)
        await load(late, desired, log, signal).catch((error: unknown) => log.error({}, messageOf(error)));
    }
    await waitForAbort(signal);
  } finally {
    stop.abort();
    await Promise.all(running);
    await connection?.close();
    token?.remove();
  }
}

/** Creates a token file. In a pod there may be no writable directory; clients then present tokens of the cluster. */
function newToken(file: string, log: Logger): AccessToken | undefined {
  try {
    return createAccessToken(file);
  } catch (error) {
    log.info({ why: messageOf(error) }, 'cannot write the token file; set another one with --token-file');
    return undefined;
  }
}

/**
 * Connects to the cluster that flags and environment select. If they select none and none was requested, it logs a
 * warning and returns undefined.
 */
async function tryConnect({ access }: ExporterFlags, log: Logger): Promise<Connection | undefined> {
  try {
    return await connect(access);
  } catch (error) {
    if (isClusterRequested(access)) throw error;
    log.warn({ why: messageOf(error) }, IN_MEMORY);
    return undefined;
  }
}

/** Reports whether the cluster responds. Throws if it was requested explicitly and does not. */
async function answers(connection: Connection, { access }: ExporterFlags, clock: Clock, log: Logger): Promise<boolean> {
  try {
    await probeCluster(connection, clock);
    return true;
  } catch (error) {
    const why = messageOf(error);
    if (isClusterRequested(access))
      throw new VimanaError('REFUSED', `the cluster does not respond: ${why}`, { cause: error });
    log.warn({ why, again: `every ${RETRY_MS / 1000}s` }, IN_MEMORY);
    return false;
  }
}

async function waitForCluster(connection: Connection, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await Promise.race([clock.sleep(RETRY_MS, signal).catch(() => {}), waitForAbort(signal)]);
    const isThere = await probeCluster(connection, clock).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
}

async function probeCluster({ client }: Connection, clock: Clock): Promise<void> {
  const late = new AbortController();
  using _limit = clock.timer(RESPONSE_TIMEOUT_MS, () =>
    late.abort(new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1000}s`)),
  );
  await client.raw('/version', { signal: late.signal });
}

function followCluster(
  { client, namespace }: Connection,
  { allNamespaces, referenceNode }: ExporterFlags,
  clock: Clock,
  log: Logger,
  lifetime: AbortSignal,
): { readonly informers: Informers; readonly fleet: ClusterFleet } {
  const informers = new Informers({ client, clock, random: systemRandom(), log });
  const selection = { labelSelector: LAUNCHER_SELECTOR, ...(allNamespaces ? {} : { namespace }) };
  const pods = new PodManager({ client, namespace, clock, referenceNode });
  const parts = { client, informers, clock, pods, namespace, selection, referenceNode, lifetime, log };
  const fleet = new ClusterFleet(parts);
  log.info({ namespace: allNamespaces ? '' : namespace }, 'Kubernetes client and pod manager initialized');
  return { informers, fleet };
}

const isClusterRequested = ({ kubeconfig, context }: ExporterFlags['access']) =>
  kubeconfig !== undefined || context !== undefined;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Scenario that is read again once the nodes are known. */
type ReadScenario = (isNode: (name: string) => boolean) => ReturnType<typeof readFleetSpec>;

function scenarioAt(place: string, log: Logger): ReadScenario {
  const [, file = place, given] = /^(.*?)#([^#/]*)$/.exec(place) ?? [];
  try {
    const body: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
    const name = given ?? (names.includes('nodes') ? undefined : names[0]);
    if (given === undefined && names.length > 1)
      log.info({ scenario: name, of: names }, 'the first scenario of the file is loaded');
    const { causes } = readFleetSpec(body, name, () => true);
    if (causes.length > 0) throw new RejectedError(causes);
    return (isNode) => readFleetSpec(body, name, isNode);
  } catch (error) {
    throw withExplanation(error, `${file} cannot be loaded`);
  }
}

async function load(fleet: FleetBackend, read: ReadScenario, log: Logger, signal: AbortSignal): Promise<void> {
  const desired = read((node) => fleet.has(node));
  try {
    const { nodes, vms, unplaced } = await fleet.replace(desired, signal);
    log.info({ scenario: desired.name, nodes, vms }, 'scenario loaded');
    if (unplaced.length > 0) log.warn({ vms: unplaced.map(({ vm_id }) => vm_id) }, 'no node has room for some VMs');
  } catch (error) {
    throw withExplanation(error, `the scenario ${desired.name} cannot be loaded`);
  }
}

function withExplanation(error: unknown, what: string): VimanaError {
  const causes =
    error instanceof RejectedError ? error.causes.map((cause) => `\n  ${formatCause(cause)}`).join('') : '';
  const why = causes === '' ? ` ${messageOf(error)}` : causes;
  return new VimanaError('REFUSED', `${what}:${why}`, { cause: error });
}
