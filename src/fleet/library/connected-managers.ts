import { realClock } from '#platform/base/clock';
import { systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { httpClient } from '#platform/kube/http/http-client';
import { loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';
import type { ClusterOptions, ManagerOptions, PodManagerOptions } from './manager-options.ts';
import { PodManager } from './pod-manager.ts';
import { VMManager } from './vm-manager.ts';

/** VMManager that can also connect to a cluster by itself. */
export class ConnectedVmManager extends VMManager {
  /**
   * Connects to the cluster of a kubeconfig, or to the one that this process runs in. Without the option `namespace`, it
   * works in the namespace of the context, or of this pod, as kubectl does. `await using` closes the connection.
   */
  static async connect(
    options: ClusterOptions & Partial<ManagerOptions> = {},
  ): Promise<ConnectedVmManager & AsyncDisposable> {
    const { client, namespace } = await connect(options);
    const manager = new ConnectedVmManager({ ...options, client, namespace: options.namespace ?? namespace });
    return Object.assign(manager, { [Symbol.asyncDispose]: () => client.close() });
  }
}

/** PodManager that can also connect to a cluster by itself. */
export class ConnectedPodManager extends PodManager {
  /**
   * Connects to the cluster of a kubeconfig, or to the one that this process runs in. Without the option `namespace`, it
   * works in the namespace of the context, or of this pod, as kubectl does. `await using` closes the connection.
   */
  static async connect(
    options: ClusterOptions & Partial<PodManagerOptions> = {},
  ): Promise<ConnectedPodManager & AsyncDisposable> {
    const { client, namespace } = await connect(options);
    const manager = new ConnectedPodManager({ ...options, client, namespace: options.namespace ?? namespace });
    return Object.assign(manager, { [Symbol.asyncDispose]: () => client.close() });
  }
}

interface Connection {
  readonly client: Client & { close(): Promise<void> };
  /** Namespace of requests that name none. */
  readonly namespace: string;
}

async function connect({ kubeconfig, context }: ClusterOptions): Promise<Connection> {
  const flags = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
  const environment = nodeHostEnvironment({ env: process.env, clock: realClock, terminal: false });
  const access = await loadClusterAccess(flags, environment);
  const client = httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'vimana' });
  return { client, namespace: access.namespace };
}
