import { createWriteStream } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { type ControlPlane, startControlPlane } from './apiserver/control-plane.ts';
import { realClock } from './base/clock.ts';
import type { Logger } from './base/logger.ts';
import { createLogger } from './base/pino-logger.ts';
import { systemRandom } from './base/random.ts';
import type { ApiServerSettings } from './cli/apiserver.ts';
import { kubernetesControllers } from './controllers/kubernetes/kubernetes-controllers.ts';
import { writeKubeconfig } from './kube/kubeconfig/kubeconfig-text.ts';
import { manager } from './runtime/manager.ts';
import type { Runnable } from './runtime/runnable.ts';
import { explainedStart, usualFolder } from './up/data-folder.ts';

/** Runs the API server of `vimana apiserver` until SIGINT or SIGTERM. */
export async function serve(settings: ApiServerSettings): Promise<void> {
  const clock = realClock;
  const log = createLogger({ level: settings.logLevel, format: 'text', clock, destination: process.stderr });
  const dataDir = settings.dataDir ?? usualFolder('apiserver');
  const { store, durability, port, bindAddress: host, insecureHttp: insecure } = settings;
  const audit = settings.auditLog === undefined ? undefined : openAuditLog(settings.auditLog);
  const plane = await startControlPlane({
    dataDir,
    store,
    durability,
    host,
    port,
    insecure,
    clock,
    random: systemRandom(),
    log,
    // The API server alone: nothing acts on machines here.
    actsOn: () => false,
    ...(audit === undefined ? {} : { audit }),
    ...advertised(host),
  }).catch((error: unknown) => {
    throw explainedStart(error, dataDir);
  });
  const { caPem, admin } = plane.pki;
  if (settings.kubeconfigOut !== undefined) {
    const secrets = insecure
      ? { token: plane.adminToken }
      : { caPem, clientCert: admin.certPem, clientKey: admin.keyPem };
    writeKubeconfig(settings.kubeconfigOut, { name: 'vimana', server: plane.url, ...secrets });
  }
  process.stdout.write(`ready: ${plane.url} (objects in ${store === 'memory' ? 'memory' : dataDir})\n`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    await manager('controllers', settings.controllers ? controllersOf(plane, log) : []).run(stop.signal);
  } finally {
    await plane.stop();
  }
}

function controllersOf(plane: ControlPlane, log: Logger): Runnable[] {
  return kubernetesControllers({
    clientFor: (user) => plane.client(user, 'kube-controller-manager'),
    caPem: plane.pki.caPem,
    clock: realClock,
    random: systemRandom(),
    log,
  });
}

/** Appends without holding anybody up; only its owner may read it. */
function openAuditLog(file: string): (line: string) => void {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  return (line) => void stream.write(line);
}

/**
 * The address that the service `kubernetes` gives: the one that is listened on, or where that is none that another
 * machine could use, the first of this machine, as kube-apiserver does.
 */
function advertised(host: string): { advertised?: string } {
  const local = /^(?:127\.|0\.0\.0\.0$|::1?$|localhost$)/.test(host);
  const found = Object.values(networkInterfaces())
    .flat()
    .find((known) => known?.internal === false && known.family === 'IPv4');
  const address = local ? found?.address : host;
  return address === undefined ? {} : { advertised: address };
}
