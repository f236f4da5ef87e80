import { realClock } from '#platform/base/clock';
import { systemRandom } from '#platform/base/random';
import { httpClient } from '#platform/kube/http/http-client';
import { type AccessFlags, kubeconfigEntries, loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';
import type { Connect, KubeconfigNames } from '#programs/cli/connection';
import { onlyInstance } from '#programs/instances/choose';
import { runningInstances } from '#programs/instances/registry';

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

/** Adds the kubeconfig of the running instance if nothing selects a cluster. */
async function withInstance(flags: AccessFlags): Promise<AccessFlags> {
  const { kubeconfig, context, cluster, server } = flags;
  const isSelected = [kubeconfig, context, cluster, server].some((flag) => flag !== undefined);
  if (isSelected || (process.env['KUBECONFIG'] ?? '') !== '') return flags;
  const running = runningInstances();
  // A current context that is one of several instances, as after --merge-kubeconfig, has chosen already.
  if (running.length > 1) {
    const access = await loadClusterAccess(flags, environment()).catch(() => undefined);
    if (running.some(({ run }) => access !== undefined && run.url === new URL(access.server).origin)) return flags;
  }
  const instance = onlyInstance(running);
  return instance === undefined ? flags : { ...flags, kubeconfig: instance.run.kubeconfig };
}

function environment() {
  const { env, stdin } = process;
  return nodeHostEnvironment({ env, clock: realClock, terminal: stdin.isTTY });
}
