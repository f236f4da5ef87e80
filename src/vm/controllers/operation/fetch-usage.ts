import type { Vmi } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import { type PodMetrics, podMetricsPath, totalUsage } from '#platform/kube/pod-metrics';
import type { VmUsage } from '#vm/engine/metrics';

/** Returns the usage of an instance's pod from the metrics API, or undefined if there is none. */
export async function fetchUsage(client: Client, instance: Vmi, pods: Iterable<Pod>): Promise<VmUsage | undefined> {
  for (const { metadata, spec } of pods) {
    if (spec.nodeName !== instance.status?.nodeName) continue;
    try {
      const text = await client.raw(podMetricsPath(metadata.namespace ?? '', metadata.name));
      return totalUsage(JSON.parse(text) as PodMetrics);
    } catch (error) {
      // The metrics API is optional in a cluster.
      if (error instanceof KubeError) return undefined;
      throw error;
    }
  }
  return undefined;
}
