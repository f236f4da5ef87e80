import { realClock } from '#platform/base/clock';
import { systemRandom } from '#platform/base/random';
import { httpClient } from '#platform/kube/http/http-client';
import { type AccessFlags, kubeconfigEntries, loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';
import type { Connect, KubeconfigNames } from '#programs/cli/connection';
import type { FindExporter } from '#programs/cli/rebalance/command';
import { onlyExporter, onlyInstance } from '#programs/instances/choose';
import { type Instance, runningInstances } from '#programs/instances/registry';

/**
 * Connects to the cluster that flags and KUBECONFIG select; without these, to the instance that runs on this host, and
 * without one to the cluster of the user's kubeconfig or pod.
 */
export const connect: Connect = async (flags) => {
  const access = await loadClusterAccess(await withInstance(flags), environment());
  const client = httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
  return {
    client,
    namespace: access.namespace,
    webSocket: async (path, protocols) => {
      const { connectWebSocket } = await import('#platform/kube/http/connect-web-socket');
      return await connectWebSocket(access, path, protocols);
    },
    stream: (path, signal) => client.stream(path, signal),
    close: () => client.close(),
  };
};

/** Reads the names from the same files. */
export const kubeconfigNames: KubeconfigNames = async (flags, what) =>
  kubeconfigEntries(await withInstance(flags), environment(), what);

/** Finds the exporter of the instance that KUBECONFIG or the current context selects, or else of the only one. */
export const findExporter: FindExporter = async () => {
  const running = runningInstances();
  const selected = await selectedInstance({}, running);
  if (selected !== undefined) return onlyExporter([selected]);
  return isKubeconfigSet() ? undefined : onlyExporter(running);
};

/** Adds the kubeconfig of the running instance if nothing selects a cluster. */
async function withInstance(flags: AccessFlags): Promise<AccessFlags> {
  const { kubeconfig, context, cluster, server } = flags;
  const isSelected = [kubeconfig, context, cluster, server].some((flag) => flag !== undefined);
  if (isSelected || isKubeconfigSet()) return flags;
  const running = runningInstances();
  // A current context that is one of several instances, as after --merge-kubeconfig, has chosen already.
  if (running.length > 1 && (await selectedInstance(flags, running)) !== undefined) return flags;
  const instance = onlyInstance(running);
  return instance === undefined ? flags : { ...flags, kubeconfig: instance.run.kubeconfig };
}

const isKubeconfigSet = () => (process.env['KUBECONFIG'] ?? '') !== '';

/** Returns the instance that flags and kubeconfig select. */
async function selectedInstance(flags: AccessFlags, running: readonly Instance[]): Promise<Instance | undefined> {
  const access = await loadClusterAccess(flags, environment()).catch(() => undefined);
  return running.find(({ run }) => access !== undefined && run.url === new URL(access.server).origin);
}

function environment() {
  const { env, stdin } = process;
  return nodeHostEnvironment({ env, clock: realClock, terminal: stdin.isTTY });
}
