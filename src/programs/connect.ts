import { realClock } from '#platform/base/clock';
import { systemRandom } from '#platform/base/random';
import { httpClient } from '#platform/kube/http/http-client';
import { kubeconfigEntries, loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';
import type { Connect, KubeconfigNames } from '#programs/cli/connection';

/** Connects to the cluster that flags, environment and kubeconfig select. */
export const connect: Connect = async (flags) => {
  const access = await loadClusterAccess(flags, environment());
  const client = httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
  return { client, namespace: access.namespace, close: () => client.close() };
};

/** Reads the names from the same files. */
export const kubeconfigNames: KubeconfigNames = (flags, what) => kubeconfigEntries(flags, environment(), what);

function environment() {
  const { env, stdin } = process;
  return nodeHostEnvironment({ env, clock: realClock, terminal: stdin.isTTY });
}
