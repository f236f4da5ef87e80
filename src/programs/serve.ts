import { networkInterfaces } from 'node:os';
import { isLoopback } from '#control-plane/apiserver/access/local-program';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { type ControllerUser, INFORMER_USER } from '#control-plane/controllers/controller-user';
import { kubernetesControllers } from '#control-plane/controllers/kubernetes-controllers';
import { realClock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import { createLogger } from '#platform/base/pino-logger';
import { systemRandom } from '#platform/base/random';
import { Events } from '#platform/runtime/events/events';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import type { ApiServerSettings } from '#programs/cli/apiserver';
import { serverLog } from '#programs/cli/log-stream';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { clusterName, withStartExplanation } from '#programs/up/data-dir';
import { checkRequestedKubeconfig, openAuditLog, writeRequestedKubeconfig } from '#programs/up/output-files';

/** Runs `vimana apiserver` until SIGINT or SIGTERM. */
export async function serve(settings: ApiServerSettings): Promise<void> {
  const clock = realClock;
  const log = createLogger({ level: settings.logLevel, format: 'text', clock, destination: serverLog() });
  const dataDir = settings.dataDir ?? defaultDataDir('apiserver');
  const { store, durability, port, bindAddress: host, insecureHttp: insecure } = settings;
  assertEncryptedIfRemote(settings);
  if (settings.kubeconfigOut !== undefined) checkRequestedKubeconfig(settings.kubeconfigOut);
  const audit = settings.auditLog === undefined ? undefined : openAuditLog(settings.auditLog, clock, log);
  const plane = await startVmControlPlane({
    dataDir,
    store,
    durability,
    host,
    port,
    insecure,
    trustsLocalPrograms: true,
    clock,
    random: systemRandom(),
    log,
    // The API server runs alone, so no controller acts on VMs.
    actsOn: () => false,
    ...(audit === undefined ? {} : { audit }),
    ...(settings.serviceClusterIpRange === undefined ? {} : { serviceClusterIpRange: settings.serviceClusterIpRange }),
    ...advertisedAddress(host),
  }).catch((error: unknown) => {
    throw withStartExplanation(error, dataDir);
  });
  const { caPem, admin } = plane.pki;
  if (settings.kubeconfigOut !== undefined) {
    const secrets = insecure
      ? { token: plane.adminToken }
      : { caPem, clientCert: admin.certPem, clientKey: admin.keyPem };
    try {
      const name = clusterName('apiserver', dataDir, plane.port);
      writeRequestedKubeconfig(settings.kubeconfigOut, { name, server: plane.url, ...secrets });
    } catch (error) {
      await plane.stop();
      throw error;
    }
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
  const shared = { clock: realClock, random: systemRandom(), log };
  const clientFor = (user: ControllerUser) => plane.client(user, 'kube-controller-manager');
  const events = new Events({ ...shared, client: clientFor(INFORMER_USER) });
  const eventsOf = (component: string) => events.recorder(component);
  return [events, ...kubernetesControllers({ ...shared, clientFor, eventsOf, caPem: plane.pki.caPem })];
}

/** Rejects plain HTTP for other hosts unless it is requested explicitly, since it can be read on the way. */
function assertEncryptedIfRemote({ insecureHttp, insecureRemote, bindAddress }: ApiServerSettings): void {
  if (!insecureHttp || insecureRemote || isLoopback(bindAddress)) return;
  throw new ConfigError(`plain HTTP is not served on ${bindAddress}, which other hosts may reach`, {
    hint: 'Omit --insecure-http, or add --insecure-remote: tokens can then be read in transit.',
  });
}

/**
 * Returns the address of the service `kubernetes`: the one that is listened on, or, if other hosts cannot use it, the
 * first of this host, as in kube-apiserver.
 */
function advertisedAddress(host: string): { advertised?: string } {
  const local = /^(?:127\.|0\.0\.0\.0$|::1?$|localhost$)/.test(host);
  const found = Object.values(networkInterfaces())
    .flat()
    .find((known) => known?.internal === false && known.family === 'IPv4');
  const address = local ? found?.address : host;
  return address === undefined ? {} : { advertised: address };
}
