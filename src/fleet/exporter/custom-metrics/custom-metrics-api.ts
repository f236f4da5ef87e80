import { ParseError } from '#platform/base/errors';
import { formatQuantity } from '#platform/base/quantity';
import { timestamp } from '#platform/base/timestamp';
import type { ApiExtension, ExtensionAnswer, ExtensionRequest, ExtensionResource } from '#platform/kube/api-extension';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeMeta } from '#platform/kube/kube-object';
import { parseLabelSelector } from '#platform/kube/selectors/label-selector';

export const CUSTOM_METRICS_GROUP = 'custom.metrics.k8s.io';
export const CUSTOM_METRICS_VERSIONS = ['v1beta2', 'v1beta1'] as const;

/** Object that a metric describes. */
export interface DescribedObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: KubeMeta;
}

/** Resource with metrics, such as nodes or virtualmachines.kubevirt.io. */
export interface MeasuredResource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly metrics: readonly string[];
  /** Returns the objects of a namespace with the value of a metric, which is undefined if it is unknown. */
  valuesOf(
    metric: string,
    namespace: string,
    signal: AbortSignal,
  ): Promise<Iterable<readonly [DescribedObject, number | undefined]>>;
}

type Version = (typeof CUSTOM_METRICS_VERSIONS)[number];

/** Serves custom.metrics.k8s.io in both versions, as autoscalers and `kubectl get --raw` request it. */
export function customMetricsApi(resources: readonly MeasuredResource[], now: () => number): ApiExtension[] {
  const served = resources.flatMap(({ name, namespaced, metrics }) =>
    metrics.map(
      (metric): ExtensionResource => ({
        name: `${name}/${metric}`,
        namespaced,
        kind: 'MetricValueList',
        verbs: ['get'],
      }),
    ),
  );
  return CUSTOM_METRICS_VERSIONS.map((version, at) => ({
    group: CUSTOM_METRICS_GROUP,
    version,
    priority: { group: 100, version: 200 - at * 100 },
    resources: served,
    handle: (request) => response(resources, version, request, now()),
  }));
}

async function response(
  resources: readonly MeasuredResource[],
  version: Version,
  { resource, subresource: metric, namespace, name, query, signal }: ExtensionRequest,
  now: number,
): Promise<ExtensionAnswer> {
  const measured = resources.find((each) => each.name === resource);
  const matches = selectorIn(query, 'labelSelector');
  // These metrics have no labels of their own.
  const isSelected = selectorIn(query, 'metricLabelSelector')({});
  const all = measured === undefined || !isSelected ? [] : await measured.valuesOf(metric, namespace, signal);
  const items: object[] = [];
  for (const [object, value] of all) {
    const { metadata } = object;
    const isAsked = name === '*' ? matches(metadata.labels) : metadata.name === name;
    if (isAsked && value !== undefined) items.push(formatValue(version, object, metric, value, now));
  }
  if (name !== '*' && items.length === 0) throw notFound(metric, resource, name);
  const body = { kind: 'MetricValueList', apiVersion: `${CUSTOM_METRICS_GROUP}/${version}`, metadata: {}, items };
  return { status: 200, body };
}

function formatValue(
  version: Version,
  { kind, apiVersion, metadata }: DescribedObject,
  metric: string,
  value: number,
  now: number,
): object {
  const { name, namespace } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  const identity = version === 'v1beta1' ? { metricName: metric } : { metric: { name: metric } };
  return {
    describedObject: { kind, ...place, name, apiVersion },
    ...identity,
    timestamp: timestamp(now),
    value: formatQuantity({ nano: BigInt(Math.round(value * 1e9)), format: 'DecimalSI' }),
    ...(version === 'v1beta1' ? { selector: null } : {}),
  };
}

function selectorIn(query: URLSearchParams, parameter: string) {
  try {
    const selector = parseLabelSelector(query.get(parameter) ?? '');
    return (labels: Readonly<Record<string, string>> | undefined) => selector.matches(labels);
  } catch (error) {
    if (error instanceof ParseError) throw new KubeError(400, 'BadRequest', error.message, {}, { cause: error });
    throw error;
  }
}

function notFound(metric: string, resource: string, name: string): KubeError {
  const message = `the server could not find the metric ${metric} for ${resource} ${name}`;
  return new KubeError(404, 'NotFound', message, { name, group: CUSTOM_METRICS_GROUP, kind: resource });
}
