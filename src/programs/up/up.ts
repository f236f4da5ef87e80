import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { hostClock } from '#platform/base/host-clock';
import type { Logger } from '#platform/base/logger';
import { createLogger } from '#platform/base/pino-logger';
import { systemRandom } from '#platform/base/random';
import { type KubeconfigContent, writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { Metrics } from '#platform/runtime/metrics';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { Io } from '#programs/cli/io';
import type { UpSettings } from '#programs/cli/up';
import { nodeNames, nodePools } from '#programs/install/node-pools';
import { checkedFetch } from '#vm/images/checked-fetch';
import { clusterName, withStartExplanation } from './data-dir.ts';
import { demoRequest } from './demo-request.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts';
import { bindListeners, type Listeners } from './listeners.ts';
import { lockDataDir } from './locked-data-dir.ts';
import { checkRequestedKubeconfig, openAuditLog, writeRequestedKubeconfig } from './output-files.ts';
import { removeRunFile, writeRunFile } from './run-file.ts';
import { schedulerConfiguration } from './scheduler-configuration.ts';
import { StartupProgress } from './startup-progress.ts';
import { formatUnselected } from './unselected-vms.ts';
import { waitForStartup } from './wait-for-startup.ts';
import { whatNext } from './what-next.ts';

/** Runs everything in this process until SIGINT or SIGTERM. */
export async function up(settings: UpSettings, io: Io): Promise<void> {
  if (settings.kubeconfigOut !== undefined) checkRequestedKubeconfig(settings.kubeconfigOut);
  const { dataDir, release } = lockDataDir(settings);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    await runUntilSignal({ settings, dataDir, io, clock: hostClock, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted && error === stop.signal.reason) {
      io.out('Stopped before it was ready.\n');
      return;
    }
    const { metricsPort, healthPort, exporterPort } = settings;
    throw withStartExplanation(error, dataDir, {
      [exporterPort]: '--exporter-port',
      [metricsPort]: '--metrics-port',
      [healthPort]: '--health-port',
    });
  } finally {
    removeRunFile(dataDir);
    release();
  }
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
  const log = createLogger({ level: settings.logLevel, format: 'text', clock, destination: process.stderr });
  const progress = new StartupProgress({ write: io.out, live: process.stdout.isTTY, clock });
  const metrics = new Metrics({ process: true });
  const options = embeddedOptions(run, log, metrics);
  const listeners = await bindListeners(settings, dataDir, { clock, log, metrics });
  try {
    io.out('Vimana is starting\n');
    const start = () => startEmbedded(options);
    const embedded = await progress.step('control plane', start, ({ plane }) => plane.url);
    try {
      for (const kept of embedded.kept) io.out(`  ${formatUnselected(kept)}\n`);
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

/** Reads the files that the settings name, so that an error in one is found before anything is changed. */
function embeddedOptions({ settings, dataDir, clock, signal }: Run, log: Logger, metrics: Metrics): EmbeddedOptions {
  const pools = nodePools(settings.nodes, settings);
  const { schedulerConfig, auditLog } = settings;
  return {
    dataDir,
    store: settings.ephemeral ? 'memory' : 'lmdb',
    durability: settings.durability,
    host: settings.bindAddress,
    port: settings.port,
    dialects: settings.dialects,
    pools,
    rollout: settings.vmRolloutStrategy,
    nodeLostAfterMs: settings.nodeLostAfter,
    referenceNode: settings.referenceNode,
    carbon: settings.carbon,
    ...(settings.verifyImages ? { images: checkedFetch(settings.imageHosts) } : {}),
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
  const { settings, dataDir, io, signal } = run;
  const introduced = join(dataDir, 'introduced');
  const isNew = settings.ephemeral || !existsSync(introduced);
  const kubeconfig = join(dataDir, 'kubeconfig');
  const content = adminKubeconfig(dataDir, embedded);
  writeKubeconfig(kubeconfig, content);
  recordRun(run, kubeconfig, embedded, listeners);
  const nodes = nodeNames(pools);
  const { demo, why } = demoRequest(settings, { isNew, nodes: nodes.length });
  await Promise.race([waitForStartup({ client: embedded.admin, progress, nodes, demo, signal }), embedded.ended]);
  const out = settings.kubeconfigOut === undefined ? undefined : resolve(settings.kubeconfigOut);
  if (!settings.ephemeral) writePrivateFile(introduced, '');
  if (out !== undefined) writeRequestedKubeconfig(out, content);
  if (why !== undefined) io.out(`  no demo fleet: ${why}\n`);
  const renamed = embedded.changed.shortNames;
  const { token, exporter } = listeners;
  const at = exporter === undefined ? {} : { exporter: exporter.url };
  io.out(whatNext({ settings, kubeconfig: out ?? kubeconfig, dataDir, renamed, tokenFile: token.file, ...at }));
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
}
