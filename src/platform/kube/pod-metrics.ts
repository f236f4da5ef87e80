import { milliValue, parseQuantity, value } from '#platform/base/quantity';

/** Resource usage of a pod, as metrics.k8s.io reports it. */
export interface PodMetrics {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly containers?: readonly { readonly usage?: { readonly cpu?: string; readonly memory?: string } }[];
}

/** Returns the sum over the containers. */
export function totalUsage({ containers = [] }: PodMetrics): {
  readonly cpuCores: number;
  readonly memoryBytes: number;
} {
  let [milli, bytes] = [0, 0];
  for (const { usage } of containers) {
    milli += milliValue(parseQuantity(usage?.cpu ?? '0'));
    bytes += value(parseQuantity(usage?.memory ?? '0'));
  }
  return { cpuCores: milli / 1000, memoryBytes: bytes };
}

/** Returns the path for metrics of one pod, of a namespace, or of all pods. */
export function podMetricsPath(namespace: string, name = ''): string {
  const within = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `/apis/metrics.k8s.io/v1beta1${within}/pods${name === '' ? '' : `/${name}`}`;
}
