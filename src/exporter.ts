import { readFileSync } from 'node:fs';
import { type Clock, realClock } from './base/clock.ts';
import { VimanaError } from './base/errors.ts';
import type { Logger } from './base/logger.ts';
import { createLogger } from './base/pino-logger.ts';
import { systemRandom } from './base/random.ts';
import type { Connection } from './cli/connection.ts';
import type { ExporterFlags } from './cli/exporter.ts';
import { connect } from './connect.ts';
import { causeText } from './exporter/cause-text.ts';
import { ClusterFleet } from './exporter/cluster-fleet.ts';
import { type Fleet, RefusedError } from './exporter/fleet.ts';
import { LAUNCHER_SELECTOR } from './exporter/launcher-demand.ts';
import { PaperFleet } from './exporter/paper-fleet.ts';
import { exporterRoutes, ON_PAPER } from './exporter/routes.ts';
import { readWanted } from './exporter/scenario-request.ts';
import { aborted } from './runtime/aborted.ts';
import { startHttpServer } from './runtime/http/http-server.ts';
import { Informers } from './runtime/informers.ts';
import { PodManager } from './simulation-library/pod-manager.ts';

/** How long the cluster is given to answer before there is none. */
const ANSWER_MS = 5_000;

/** Runs `vimana exporter` until SIGINT or SIGTERM. */
export async function runExporter(flags: ExporterFlags): Promise<void> {
  const clock = realClock;
  const { logLevel: level, logFormat: format } = flags;
  const log = createLogger({ level, format, clock, destination: process.stderr });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const wanted = flags.scenario === undefined ? undefined : scenarioAt(flags.scenario, log);
  const cluster = await reach(flags, clock, log, stop.signal);
  const fleet = cluster?.fleet ?? new PaperFleet(clock);
  const running = cluster?.informers.run(stop.signal);
  const server = await startHttpServer({
    host: flags.host,
    port: flags.port,
    clock,
    log,
    routes: exporterRoutes(fleet),
  });
  try {
    await Promise.race([cluster?.fleet.synced(), aborted(stop.signal)]);
    if (wanted !== undefined) await load(fleet, wanted, log, stop.signal);
    log.info({ url: server.url }, 'serving metrics');
    await aborted(stop.signal);
  } finally {
    stop.abort();
    await Promise.all([server.close(), running]);
    await cluster?.connection.close();
  }
}

interface Reached {
  readonly connection: Connection;
  readonly informers: Informers;
  readonly fleet: ClusterFleet;
}

/** The fleet of the cluster; undefined, and a warning, where no cluster answers. */
async function reach(
  flags: ExporterFlags,
  clock: Clock,
  log: Logger,
  lifetime: AbortSignal,
): Promise<Reached | undefined> {
  let connection: Connection | undefined;
  try {
    connection = await connect(flags.access);
    const { client, namespace } = connection;
    const late = new AbortController();
    using _limit = clock.timer(ANSWER_MS, () => late.abort(new Error(`no answer in ${ANSWER_MS / 1000} s`)));
    await client.raw('/version', { signal: late.signal });
    const informers = new Informers({ client, clock, random: systemRandom(), log });
    const selection = { labelSelector: LAUNCHER_SELECTOR, ...(flags.allNamespaces ? {} : { namespace }) };
    const { referenceNode } = flags;
    const pods = new PodManager({ client, namespace, clock, referenceNode });
    const parts = { client, informers, clock, pods, namespace, selection, referenceNode, lifetime };
    const fleet = new ClusterFleet(parts);
    log.info({ namespace: flags.allNamespaces ? '' : namespace }, 'Kubernetes client and pod manager initialized');
    return { connection, informers, fleet };
  } catch (error) {
    await connection?.close();
    log.warn({ why: error instanceof Error ? error.message : String(error) }, ON_PAPER);
    return undefined;
  }
}

/** A scenario that is read again when it is known which nodes there are. */
type ReadScenario = (isNode: (name: string) => boolean) => ReturnType<typeof readWanted>;

function scenarioAt(place: string, log: Logger): ReadScenario {
  const [, file = place, given] = /^(.*?)#([^#/]*)$/.exec(place) ?? [];
  try {
    const body: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
    const name = given ?? (names.includes('nodes') ? undefined : names[0]);
    if (given === undefined && names.length > 1)
      log.info({ scenario: name, of: names }, 'the first scenario is loaded');
    const { causes } = readWanted(body, name, () => true);
    if (causes.length > 0) throw new RefusedError(causes);
    return (isNode) => readWanted(body, name, isNode);
  } catch (error) {
    throw explained(error, `${file} cannot be loaded`);
  }
}

async function load(fleet: Fleet, read: ReadScenario, log: Logger, signal: AbortSignal): Promise<void> {
  const wanted = read((node) => fleet.knows(node));
  try {
    const { nodes, vms, unplaced } = await fleet.replace(wanted, signal);
    log.info({ scenario: wanted.name, nodes, vms }, 'scenario loaded');
    if (unplaced.length > 0)
      log.warn({ vms: unplaced.map(({ vm_id }) => vm_id) }, 'no node has room for some machines');
  } catch (error) {
    throw explained(error, `the scenario ${wanted.name} cannot be loaded`);
  }
}

function explained(error: unknown, what: string): VimanaError {
  const causes = error instanceof RefusedError ? error.causes.map((cause) => `\n  ${causeText(cause)}`).join('') : '';
  const why = causes === '' ? ` ${error instanceof Error ? error.message : String(error)}` : causes;
  return new VimanaError('REFUSED', `${what}:${why}`, { cause: error });
}
