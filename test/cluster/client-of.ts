import { realClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { type HttpClient, httpClient } from '../../src/kube/http/http-client.ts';
import { loadClusterAccess } from '../../src/kube/kubeconfig/load.ts';
import { nodeSurroundings } from '../../src/kube/kubeconfig/node-surroundings.ts';

/** A client by the kubeconfig of a path, whatever else the environment says. */
export async function clientOf(kubeconfig: string, userAgent = 'vimana-test'): Promise<HttpClient> {
  const surroundings = nodeSurroundings({ env: {}, clock: realClock, terminal: false });
  const access = await loadClusterAccess({ kubeconfig }, surroundings);
  return httpClient({ access, clock: realClock, random: systemRandom(), userAgent });
}
