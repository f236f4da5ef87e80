import type { Client } from '../../kube/client.ts';
import type { Vmi } from '../../kube/kinds/machines.ts';
import type { Pod } from '../../kube/kinds/pod.ts';
import { KubeError } from '../../kube/kube-error.ts';
import { type PodMetrics, podMetricsPath, totalUsage } from '../../kube/pod-metrics.ts';
import type { Usage } from './sight.ts';

/** What the pod of an instance uses, by the metrics of the cluster; undefined where it has none of it. */
export async function usageOf(client: Client, instance: Vmi, pods: Iterable<Pod>): Promise<Usage | undefined> {
  for (const { metadata, spec } of pods) {
    if (spec.nodeName !== instance.status?.nodeName) continue;
    try {
      const text = await client.raw(podMetricsPath(metadata.namespace ?? '', metadata.name));
      return totalUsage(JSON.parse(text) as PodMetrics);
    } catch (error) {
      // Whether somebody measures is up to the cluster.
      if (error instanceof KubeError) return undefined;
      throw error;
    }
  }
  return undefined;
}
