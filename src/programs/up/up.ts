import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { storePlaces } from '#control-plane/apiserver/store-places';
import type { Clock } from '#platform/base/clock';
import { definedFields } from '#platform/base/defined-fields';
import { hostClock } from '#platform/base/host-clock';
import type { Logger } from '#platform/base/logger';
import { createLogger } from '#platform/base/pino-logger';
import { systemRandom } from '#platform/base/random';
import { type KubeconfigContent, writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { Metrics } from '#platform/runtime/metrics';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { EXIT_CODES, ReportedError } from '#programs/cli/failure';
import type { Io } from '#programs/cli/io';
import { serverLog } from '#programs/cli/log-stream';
import type { UpSettings } from '#programs/cli/up';
import { vmShortNameGroup } from '#programs/cli/vm-short-name';
import { nodeNames } from '#programs/install/node-pools';
import { registerInstance, unregisterInstance } from '#programs/instances/registry';
import { removeRunFile, writeRunFile } from '#programs/instances/run-file';
import { threadedFits } from '#programs/operator/fit-thread';
import { formatNodeChanges } from './align-nodes.ts';
import { clusterName, withStartExplanation } from './data-dir.ts';
import { demoVms, hasRealMachines } from './demo-fleet.ts';
import { demoRequest } from './demo-request.ts';
import { isDetached, reportReady, startDetached } from './detach.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts';
import { deleteStaleDiscovery } from './kubectl-cache.ts';
import { bindListeners, type Listeners } from './listeners.ts';
import { lockDataDir } from './locked-data-dir.ts';
import { mergeKubeconfig } from './merged-kubeconfig.ts';
import { formatMoved } from './moved-short-name.ts';
import { imageFetch } from './open-image-store.ts';
import { checkRequestedKubeconfig, openAuditLog, writeRequestedKubeconfig } from './output-files.ts';
import { recordedPools, recordPools, requestedPools } from './recorded-nodes.ts';
import { schedulerConfiguration } from './scheduler-configuration.ts';
import { StartupProgress } from './startup-progress.ts';
import { formatUnselected } from './unselected-vms.ts';
import { waitForStartup } from './wait-for-startup.ts';
import { whatNext } from './what-next.ts';

/** Runs everything in this process until the signal is aborted, or in a process of its own if it is to be detached. */
export async function up(settings: UpSettings, io: Io, stop: AbortSignal): Promise<void> {
  if (settings.kubeconfigOut !== undefined) checkRequestedKubeconfig(settings.kubeconfigOut);
  if (settings.detach) return await startDetached(settings, io, stop);
  const { dataDir, release } = lockDataDir(settings);
  try {
    await runUntilSignal({ settings, dataDir, io, clock: hostClock, signal: stop });
  } catch (error) {
    if (stop.aborted && error === stop.reason) throw stoppedEarly(settings, io, stop);
    const { metricsPort, healthPort, exporterPort } = settings;
    throw withStartExplanation(error, dataDir, {
      [exporterPort]: '--exporter-port',
      [metricsPort]: '--metrics-port',
      [healthPort]: '--health-port',
    });
  } finally {
    // Machines that are left running must be found again.
    if (!settings.leaveMachines) unregisterInstance(dataDir);
    removeRunFile(dataDir);
    release();
  }
}

/** Says that nothing runs, and returns the exit code of a command that a signal has ended. */
function stoppedEarly({ ephemeral }: UpSettings, io: Io, { reason }: AbortSignal): ReportedError {
  const kept = ephemeral ? '' : ' What it has stored by then is retained; the next start continues with it.';
  io.err(`Stopped before it was ready: nothing is running.${kept}\n`);
  return new ReportedError(reason === 'SIGTERM' ? EXIT_CODES.terminated : EXIT_CODES.interrupted);
}

/** One run of `vimana up`. */
interface Run {
  readonly settings: UpSettings;
  readonly dataDir: string;
  readonly io: Io;
  readonly clock: Clock;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

async function runUntilSignal(run: Run): Promise<void> {
  const { settings, dataDir, io, clock, signal } = run;
  const log = createLogger({ level: settings.logLevel, format: 'text', clock, destination: serverLog() });
  const progress = new StartupProgress({ write: io.out, live: process.stdout.isTTY, clock });
  const metrics = new Metrics({ process: true });
  const options = embeddedOptions(run, log, metrics);
  const listeners = await bindListeners(settings, dataDir, { clock, log, metrics });
  try {
    io.out('Vimana is starting\n');
    const start = () => startEmbedded(options);
    const embedded = await progress.step('control plane', start, ({ plane }) => plane.url);
    try {
      for (const note of [...notesOf(embedded), ...hiddenObjects(run)]) io.out(`  ${note}\n`);
      listeners.serve(embedded);
      await completeStart(run, options, embedded, listeners, progress);
      await Promise.race([waitForAbort(signal), embedded.ended]);
    } finally {
      await embedded.stop();
    }
  } finally {
    await listeners.close();
  }
}

/** Returns what differs from what the user may expect. */
function notesOf({ kept, changed: { shortName, nodes } }: Embedded): string[] {
  return [
    ...kept.map(formatUnselected),
    ...(shortName?.isNew === true ? [formatMoved(shortName)] : []),
    ...(nodes === undefined ? [] : formatNodeChanges(nodes)),
  ];
}

/** An ephemeral start does not show what an earlier one has stored, and does not touch it. */
function hiddenObjects({ settings, dataDir }: Run): string[] {
  if (!settings.ephemeral || !existsSync(storePlaces(dataDir).objects.directory)) return [];
  return [`--ephemeral: the objects stored in ${dataDir} are not used; start without it to see them`];
}

/** Reads the files that the settings name, so that an error in one is found before anything is changed. */
function embeddedOptions({ settings, dataDir, clock, signal }: Run, log: Logger, metrics: Metrics): EmbeddedOptions {
  const earlierPools = settings.ephemeral ? undefined : recordedPools(dataDir);
  const pools = requestedPools(settings, earlierPools);
  const { schedulerConfig, auditLog } = settings;
  return {
    dataDir,
    store: settings.ephemeral ? 'memory' : 'lmdb',
    durability: settings.durability,
    host: settings.bindAddress,
    port: settings.port,
    dialects: settings.dialects,
    ...definedFields({ vmShortName: settings.vmShortName, serviceClusterIpRange: settings.serviceClusterIpRange }),
    pools,
    ...definedFields({ earlierPools }),
    ...(settings.demo === false ? { mustBeEmpty: dataDir } : {}),
    rollout: settings.vmRolloutStrategy,
    nodeLostAfterMs: settings.nodeLostAfter,
    referenceNode: settings.referenceNode,
    carbon: settings.carbon,
    defaultImage: settings.defaultImage,
    fits: threadedFits(clock),
    ...(settings.verifyImages ? { images: imageFetch(settings) } : {}),
    machineImages: settings,
    hostDiskDirs: settings.hostDiskDirs,
    leaveMachines: settings.leaveMachines,
    stageDelayMs: settings.stageDelay,
    ...(schedulerConfig === undefined ? {} : { scheduling: schedulerConfiguration(schedulerConfig) }),
    clock,
    random: systemRandom(),
    log,
    metrics,
    signal,
    ...(auditLog === undefined ? {} : { audit: openAuditLog(auditLog, clock, log) }),
  };
}

/** Publishes where everything is, and waits until nodes and the demo fleet run. */
async function completeStart(
  run: Run,
  { pools }: EmbeddedOptions,
  embedded: Embedded,
  listeners: Listeners,
  progress: StartupProgress,
): Promise<void> {
  const { settings, dataDir, io, clock, signal } = run;
  const introduced = join(dataDir, 'introduced');
  const isNew = settings.ephemeral || !existsSync(introduced);
  const kubeconfig = join(dataDir, 'kubeconfig');
  const content = adminKubeconfig(dataDir, embedded);
  writeKubeconfig(kubeconfig, content);
  deleteStaleDiscovery(embedded.plane.url, vmShortNameGroup(settings.dialects, settings.vmShortName));
  recordRun(run, kubeconfig, embedded, listeners);
  if (!settings.ephemeral) recordPools(dataDir, pools);
  const nodes = nodeNames(pools);
  const { demo, why } = demoRequest(settings, { isNew, nodes: nodes.length });
  if (demo && hasRealMachines(pools))
    await progress.step(
      'demo guest',
      () => buildMissingGuest(dataDir),
      () => 'built',
    );
  await Promise.race([
    waitForStartup({ client: embedded.admin, progress, nodes, demo: demo ? demoVms(pools) : [], signal }),
    embedded.ended,
  ]);
  const out = settings.kubeconfigOut === undefined ? undefined : resolve(settings.kubeconfigOut);
  if (!settings.ephemeral) writePrivateFile(introduced, '');
  if (out !== undefined) writeRequestedKubeconfig(out, content);
  const merged = await mergeKubeconfig(dataDir, content, { requested: settings.mergeKubeconfig, clock });
  if (why !== undefined) io.out(`  no demo fleet: ${why}\n`);
  const { token, exporter } = listeners;
  const at = exporter === undefined ? {} : { exporter: exporter.url };
  const guest = demo && hasRealMachines(pools) ? demoVms(pools)[0]?.metadata.name : undefined;
  const shown = { ...at, ...definedFields({ guest }) };
  const started = { settings, kubeconfig: out ?? kubeconfig, dataDir, tokenFile: token.file, ...shown };
  io.out(whatNext({ ...started, background: isDetached(), ...(merged !== undefined && { context: merged.name }) }));
  reportReady();
}

/** The code that builds images is loaded only where it is needed. */
async function buildMissingGuest(dataDir: string): Promise<void> {
  const { ensureGuestImage } = await import('./guest-image.ts');
  await ensureGuestImage(dataDir);
}

function adminKubeconfig(dataDir: string, { plane }: Embedded): KubeconfigContent {
  const { pki, url, port } = plane;
  const access = { name: clusterName('up', dataDir, port), server: url, caPem: pki.caPem };
  return { ...access, clientCert: pki.admin.certPem, clientKey: pki.admin.keyPem };
}

/** Writes the run file, by which `vimana status` and `vimana down` find this process. */
function recordRun({ settings, dataDir, clock }: Run, kubeconfig: string, { plane }: Embedded, listeners: Listeners) {
  const { metrics, health, exporter, token } = listeners;
  writeRunFile(dataDir, {
    pid: process.pid,
    startedAt: new Date(clock.now()).toISOString(),
    url: plane.url,
    kubeconfig,
    metrics: `${metrics.url}/metrics`,
    health: `${health.url}/readyz`,
    ...(exporter === undefined ? {} : { exporter: exporter.url }),
    tokenFile: token.file,
    ephemeral: settings.ephemeral,
  });
  registerInstance(dataDir);
}
