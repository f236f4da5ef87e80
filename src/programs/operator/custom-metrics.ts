import { resourceTypeFor } from '#api/kubevirt/resources';
import { type FleetMetricsDeps, fleetMetrics, type MeasuredVms } from '#fleet/exporter/custom-metrics/fleet-metrics';
import type { Amounts } from '#fleet/exporter/launcher-usage';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import { type PodMetrics, podMetricsPath, totalUsage } from '#platform/kube/pod-metrics';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { Dialect } from '#vm/engine/dialect';
import { consumptionOf } from '#vm/usage/consumption';

/** Returns the VMs of a group that custom metrics describe. */
export const measuredVms = ({ kind, instanceSuffix }: Dialect): MeasuredVms => ({
  type: resourceTypeFor(kind),
  instanceSuffix,
});

export interface ClusterMetricsDeps extends Omit<FleetMetricsDeps, 'vms' | 'usageIn'> {
  readonly client: Pick<Client, 'raw'>;
  readonly dialects: readonly Dialect[];
}

/** Serves custom metrics of a cluster, with usage from metrics.k8s.io, otherwise as simulated pods report it. */
export function clusterMetrics({ client, dialects, ...deps }: ClusterMetricsDeps): ApiExtension[] {
  const nodes = deps.informers.of(NODES).cache;
  return fleetMetrics({
    ...deps,
    vms: dialects.map(measuredVms),
    async usageIn(namespace, signal) {
      const measured = await fetchUsage(client, namespace, signal);
      return (pod) => measured.get(keyOf(pod)) ?? declaredUsage(pod);
    },
  });

  function declaredUsage(pod: Pod): Amounts | undefined {
    const node = nodes.get(pod.spec.nodeName ?? '');
    const [cores, bytes] = [consumptionOf(pod, node, 'cpu'), consumptionOf(pod, node, 'memory')];
    return cores === undefined || bytes === undefined ? undefined : { cores, bytes };
  }
}

/** Fetches the usage of pods by their keys. A metrics API that is absent or fails knows of none. */
async function fetchUsage(
  client: Pick<Client, 'raw'>,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Amounts>> {
  try {
    const text = await client.raw(podMetricsPath(namespace), { signal });
    const { items = [] } = JSON.parse(text) as { readonly items?: readonly PodMetrics[] };
    return new Map(
      items.map((each) => {
        const { cpuCores: cores, memoryBytes: bytes } = totalUsage(each);
        return [keyIn(each.metadata?.namespace, each.metadata?.name ?? ''), { cores, bytes }];
      }),
    );
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return new Map();
  }
}
