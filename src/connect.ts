import { realClock } from './base/clock.ts';
import { systemRandom } from './base/random.ts';
import type { Connect } from './cli/connection.ts';
import { httpClient } from './kube/http/http-client.ts';
import { loadClusterAccess } from './kube/kubeconfig/load.ts';
import { nodeSurroundings } from './kube/kubeconfig/node-surroundings.ts';

/** Reaches the cluster that flags, environment and kubeconfig name. */
export const connect: Connect = async (flags) => {
  const { env, stdin } = process;
  const surroundings = nodeSurroundings({ env, clock: realClock, terminal: stdin.isTTY });
  const access = await loadClusterAccess(flags, surroundings);
  const client = httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
  return { client, namespace: access.namespace, close: () => client.close() };
};
