import type { NodeSize } from '#api/launcher-load';
import { type Clock, realClock } from '#platform/base/clock';
import { type Random, systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { httpClient } from '#platform/kube/http/http-client';
import { loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';

export interface ManagerOptions {
  readonly client: Client;
  /** Defaults to `default`. */
  readonly namespace?: string;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface PodManagerOptions extends ManagerOptions {
  /** Set to create a VirtualMachine with every pod. Defaults to true. */
  readonly createVms?: boolean;
  /** Node size that fractional sizes refer to if simulated nodes differ. Defaults to 32 CPUs and 128Gi. */
  readonly referenceNode?: NodeSize;
}

/** Cluster to connect to: that of a kubeconfig, else kubectl's default, else the one that this pod runs in. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Returns a client of a cluster, and a function to close it. */
export async function clientOf({ kubeconfig, context }: ClusterOptions): Promise<Client & { close(): Promise<void> }> {
  const flags = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
  const environment = nodeHostEnvironment({ env: process.env, clock: realClock, terminal: false });
  const access = await loadClusterAccess(flags, environment);
  return httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
}
