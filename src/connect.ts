import { realClock } from './base/clock.ts';
import { systemRandom } from './base/random.ts';
import type { Connect, KubeconfigNames } from './cli/connection.ts';
import { httpClient } from './kube/http/http-client.ts';
import { kubeconfigEntries, loadClusterAccess } from './kube/kubeconfig/load.ts';
import { nodeSurroundings } from './kube/kubeconfig/node-surroundings.ts';

/** Reaches the cluster that flags, environment and kubeconfig name. */
export const connect: Connect = async (flags) => {
  const access = await loadClusterAccess(flags, surroundings());
  const client = httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
  return { client, namespace: access.namespace, close: () => client.close() };
};

/** Reads them from the same files. */
export const kubeconfigNames: KubeconfigNames = (flags, what) => kubeconfigEntries(flags, surroundings(), what);

function surroundings() {
  const { env, stdin } = process;
  return nodeSurroundings({ env, clock: realClock, terminal: stdin.isTTY });
}
