import { type InProcessServer, openInProcessServer } from '#control-plane/apiserver/in-process-server';
import { webHost } from '#control-plane/apiserver/web-host';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import type { ComponentOptions } from '#programs/up/embedded-options';
import { type Cluster, startComponents } from '#programs/up/start-components';

/** Everything but the dialects and the nodes has a default. */
export type PlaygroundOptions = Pick<ComponentOptions, 'dialects' | 'pools'> & Partial<ComponentOptions>;

/**
 * Starts a cluster of simulated nodes in memory that only its clients reach. It needs no Node.js, so that a page in a
 * browser can run it.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Cluster<InProcessServer>> {
  const all = { clock: realClock, random: systemRandom(), log: noopLogger, ...options };
  return await startComponents(await openInProcessServer({ ...all, host: webHost }), all);
}
