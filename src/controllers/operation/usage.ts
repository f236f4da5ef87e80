import { milliValue, parseQuantity, value } from '../../base/quantity.ts';
import type { Client } from '../../kube/client.ts';
import type { Vmi } from '../../kube/kinds/machines.ts';
import type { Pod } from '../../kube/kinds/pod.ts';
import { KubeError } from '../../kube/kube-error.ts';
import type { Usage } from './sight.ts';

interface PodMetrics {
  readonly containers?: readonly { readonly usage?: { readonly cpu?: string; readonly memory?: string } }[];
}

/** What the pod of an instance uses, by the metrics of the cluster; undefined where it has none of it. */
export async function usageOf(client: Client, instance: Vmi, pods: Iterable<Pod>): Promise<Usage | undefined> {
  for (const { metadata, spec } of pods) {
    if (spec.nodeName !== instance.status?.nodeName) continue;
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    try {
      return total(JSON.parse(await client.raw(path)) as PodMetrics);
    } catch (error) {
      // Whether somebody measures is up to the cluster.
      if (error instanceof KubeError) return undefined;
      throw error;
    }
  }
  return undefined;
}

function total({ containers = [] }: PodMetrics): Usage {
  let [milli, bytes] = [0, 0];
  for (const { usage } of containers) {
    milli += milliValue(parseQuantity(usage?.cpu ?? '0'));
    bytes += value(parseQuantity(usage?.memory ?? '0'));
  }
  return { cpuCores: milli / 1000, memoryBytes: bytes };
}
