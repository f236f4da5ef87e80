import type { NodeSize } from '#api/launcher-load';
import { type Clock, realClock } from '#platform/base/clock';
import { type Random, systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { httpClient } from '#platform/kube/http/http-client';
import { loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';

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
  const environment = nodeHostEnvironment({ env: process.env, clock: realClock, terminal: false });
  const access = await loadClusterAccess(flags, environment);
  return httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
}
