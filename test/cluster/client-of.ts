import { realClock } from '#platform/base/clock';
import { systemRandom } from '#platform/base/random';
import { type HttpClient, httpClient } from '#platform/kube/http/http-client';
import { loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';

/** Creates a client from a kubeconfig, independent of the environment. */
export async function clientOf(kubeconfig: string, userAgent = 'vimana-test'): Promise<HttpClient> {
  const environment = nodeHostEnvironment({ env: {}, clock: realClock, terminal: false });
  const access = await loadClusterAccess({ kubeconfig }, environment);
  return httpClient({ access, clock: realClock, random: systemRandom(), userAgent });
}
