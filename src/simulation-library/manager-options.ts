import type { NodeSize } from '../api/launcher-load.ts';
import { type Clock, realClock } from '../base/clock.ts';
import { type Random, systemRandom } from '../base/random.ts';
import type { Client } from '../kube/client.ts';
import { httpClient } from '../kube/http/http-client.ts';
import { loadClusterAccess } from '../kube/kubeconfig/load.ts';
import { nodeSurroundings } from '../kube/kubeconfig/node-surroundings.ts';

export interface ManagerOptions {
  readonly client: Client;
  /** `default` where absent. */
  readonly namespace?: string;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface PodManagerOptions extends ManagerOptions {
  /** Whether a VirtualMachine goes with every pod; it does where absent. */
  readonly createVms?: boolean;
  /** What shares of a node are of, where simulated nodes are not alike; 32 CPUs and 128Gi where absent. */
  readonly referenceNode?: NodeSize;
}

/** Which cluster to reach: that of a kubeconfig, else of those that kubectl uses, else of the pod that this runs in. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A client of a cluster, and how to end it. */
export async function clientOf({ kubeconfig, context }: ClusterOptions): Promise<Client & { close(): Promise<void> }> {
  const flags = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
  const surroundings = nodeSurroundings({ env: process.env, clock: realClock, terminal: false });
  const access = await loadClusterAccess(flags, surroundings);
  return httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
}
