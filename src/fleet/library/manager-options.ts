import type { NodeSize } from '#api/launcher-load';
import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';

export interface ManagerOptions {
  readonly client: Client;
  /** Defaults to `default`; for `connect()`, to the namespace of the context. */
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
