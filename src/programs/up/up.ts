import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { lockFolder } from '#control-plane/apiserver/store/folder-lock';
import { StoreError } from '#control-plane/apiserver/store/store-error';
import { exporterRoutes, formatRejection } from '#fleet/exporter/routes';
import { realClock } from '#platform/base/clock';
import { createLogger } from '#platform/base/pino-logger';
import { systemRandom } from '#platform/base/random';
import { type AccessToken, createAccessToken, tokenFileOf } from '#platform/kube/access-token';
import { writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { createPrivateDirectory, writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { createAuthorizer } from '#platform/runtime/http/access';
import { healthRoutes } from '#platform/runtime/http/health-routes';
import { startHttpServer } from '#platform/runtime/http/http-server';
import { metricsRoute } from '#platform/runtime/http/metrics-route';
import { tokenReview } from '#platform/runtime/http/token-review';
import { Metrics } from '#platform/runtime/metrics';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { Io } from '#programs/cli/io';
import type { UpSettings } from '#programs/cli/up';
import { nodeNames, nodePools } from '#programs/install/node-pools';
import { checkedFetch } from '#vm/images/checked-fetch';
import { clusterName, defaultDataDir, withStartExplanation } from './data-dir.ts';
import { demoRequest } from './demo-request.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { explanationsRoute } from './explanations.ts';
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
  const { dataDir, release } = takeFolder(settings);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    await runUntilSignal(settings, dataDir, io, stop.signal);
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

/** Creates a token where clients of the same user look for it, or else in the data directory. */
function newToken(file: string, otherwise: string): AccessToken {
  try {
    return createAccessToken(file);
  } catch {
    return createAccessToken(otherwise);
  }
}

interface HeldFolder {
  readonly dataDir: string;
  readonly release: () => void;
}

/** Locks the data directory. An ephemeral process uses a temporary one if the default is in use. */
function takeFolder({ dataDir: given, ephemeral }: UpSettings): HeldFolder {
  const dataDir = resolve(given ?? defaultDataDir('up'));
  try {
    createPrivateDirectory(dataDir);
    return { dataDir, release: lockFolder(dataDir) };
  } catch (error) {
    const isTaken = error instanceof StoreError && error.code === 'FolderInUse';
    if (!isTaken || !ephemeral || given !== undefined) throw withStartExplanation(error, dataDir);
    const scratch = mkdtempSync(join(tmpdir(), 'vimana-up-'));
    const release = lockFolder(scratch);
    return {
      dataDir: scratch,
      release: () => {
        release();
        rmSync(scratch, { recursive: true, force: true });
      },
    };
  }
}

async function runUntilSignal(settings: UpSettings, dataDir: string, io: Io, signal: AbortSignal): Promise<void> {
  const clock = realClock;
  const log = createLogger({ level: settings.logLevel, format: 'text', clock, destination: process.stderr });
  const progress = new StartupProgress({ write: io.out, live: process.stdout.isTTY, clock });
  const introduced = join(dataDir, 'introduced');
  const isNew = settings.ephemeral || !existsSync(introduced);
  const pools = nodePools(settings.nodes, settings);
  const { schedulerConfig } = settings;
  const scheduling = schedulerConfig === undefined ? undefined : schedulerConfiguration(schedulerConfig);
  const audit = settings.auditLog === undefined ? undefined : openAuditLog(settings.auditLog, clock, log);
  const metrics = new Metrics({ process: true });
  const { bindAddress: host } = settings;
  // The ports are bound first, so that nothing is changed if one of them is unavailable.
  let embedded: Embedded | undefined;
  let token: AccessToken | undefined;
  const access = {
    allowedHosts: settings.allowedHosts,
    authorize: createAuthorizer({
      token: () => token,
      review: () => (embedded === undefined ? undefined : tokenReview(embedded.admin, log)),
    }),
  };
  const health = await startHttpServer({
    ...access,
    host,
    port: settings.healthPort,
    clock,
    log,
    routes: healthRoutes({
      ready: {
        started: () => (embedded === undefined ? 'starting' : undefined),
        store: () => embedded?.plane.storeProblem(),
      },
    }),
  });
  const measures = await startHttpServer({
    ...access,
    host,
    port: settings.metricsPort,
    clock,
    log,
    routes: [metricsRoute(metrics)],
  }).catch(async (error: unknown) => {
    await health.close();
    throw error;
  });
  const isExporting = settings.dialects.includes('simulation');
  const exporting = !isExporting
    ? undefined
    : await startHttpServer({
        ...access,
        host,
        port: settings.exporterPort,
        clock,
        log,
        refusal: formatRejection,
      }).catch(async (error: unknown) => {
        await Promise.all([health.close(), measures.close()]);
        throw error;
      });
  try {
    token = newToken(tokenFileOf(host, (exporting ?? measures).port), join(dataDir, 'http-token'));
    io.out('Vimana is starting\n');
    const running = await progress.step(
      'control plane',
      () =>
        startEmbedded({
          dataDir,
          store: settings.ephemeral ? 'memory' : 'lmdb',
          durability: settings.durability,
          host,
          port: settings.port,
          dialects: settings.dialects,
          pools,
          rollout: settings.vmRolloutStrategy,
          nodeLostAfterMs: settings.nodeLostAfter,
          referenceNode: settings.referenceNode,
          carbon: settings.carbon,
          ...(settings.verifyImages ? { images: checkedFetch(settings.imageHosts) } : {}),
          stageDelayMs: settings.stageDelay,
          ...(scheduling === undefined ? {} : { scheduling }),
          clock,
          random: systemRandom(),
          log,
          metrics,
          signal,
          ...(audit === undefined ? {} : { audit }),
        }),
      ({ plane }) => plane.url,
    );
    embedded = running;
    for (const kept of running.kept) io.out(`  ${formatUnselected(kept)}\n`);
    measures.mount(explanationsRoute(running.explanations));
    const { exporter } = running;
    for (const route of exporter === undefined ? [] : exporterRoutes(exporter)) exporting?.mount(route);
    try {
      const kubeconfig = join(dataDir, 'kubeconfig');
      const { pki, url, port } = running.plane;
      const access = { name: clusterName('up', dataDir, port), server: url, caPem: pki.caPem };
      const content = { ...access, clientCert: pki.admin.certPem, clientKey: pki.admin.keyPem };
      writeKubeconfig(kubeconfig, content);
      writeRunFile(dataDir, {
        pid: process.pid,
        startedAt: new Date(clock.now()).toISOString(),
        url,
        kubeconfig,
        metrics: `${measures.url}/metrics`,
        health: `${health.url}/readyz`,
        ...(exporting === undefined ? {} : { exporter: exporting.url }),
        tokenFile: token.file,
        ephemeral: settings.ephemeral,
      });
      const nodes = nodeNames(pools);
      const { demo, why } = demoRequest(settings, { isNew, nodes: nodes.length });
      await Promise.race([waitForStartup({ client: running.admin, progress, nodes, demo, signal }), running.ended]);
      const out = settings.kubeconfigOut === undefined ? undefined : resolve(settings.kubeconfigOut);
      if (!settings.ephemeral) writePrivateFile(introduced, '');
      if (out !== undefined) writeRequestedKubeconfig(out, content);
      if (why !== undefined) io.out(`  no demo fleet: ${why}\n`);
      const renamed = running.changed.shortNames;
      const at = exporting === undefined ? {} : { exporter: exporting.url };
      io.out(whatNext({ settings, kubeconfig: out ?? kubeconfig, dataDir, renamed, tokenFile: token.file, ...at }));
      await Promise.race([waitForAbort(signal), running.ended]);
    } finally {
      await running.stop();
    }
  } finally {
    token?.remove();
    await Promise.all([measures.close(), health.close(), exporting?.close()]);
  }
}
