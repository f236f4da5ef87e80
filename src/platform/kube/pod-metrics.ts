import { milliValue, parseQuantity, value } from '#platform/base/quantity';

/** What a pod uses, as metrics.k8s.io tells it. */
export interface PodMetrics {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly containers?: readonly { readonly usage?: { readonly cpu?: string; readonly memory?: string } }[];
}

/** The sum over its containers. */
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

/** Where metrics of pods are asked for: of one, of a namespace, or of all. */
export function podMetricsPath(namespace: string, name = ''): string {
  const within = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `/apis/metrics.k8s.io/v1beta1${within}/pods${name === '' ? '' : `/${name}`}`;
}
