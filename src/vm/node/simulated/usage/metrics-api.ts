import { ParseError } from '#platform/base/errors';
import { timestamp } from '#platform/base/timestamp';
import type { ApiExtension, ExtensionAnswer, ExtensionRequest } from '#platform/kube/api-extension';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeMeta } from '#platform/kube/kube-object';
import { parseLabelSelector } from '#platform/kube/selectors/label-selector';
import type { SimulatedUsage } from './usage.ts';

/** Source of the metrics. */
export interface MetricsSource {
  now(): number;
  nodes(): Iterable<Node>;
  node(name: string): Node | undefined;
  pods(namespace: string): Iterable<Pod>;
  pod(namespace: string, name: string): Pod | undefined;
  podsOn(node: string): Iterable<Pod>;
  /** Returns undefined if nothing is known about a pod. */
  usageOf(pod: Pod): SimulatedUsage | undefined;
}

const GROUP = 'metrics.k8s.io';
const VERSION = 'v1beta1';
const API = `${GROUP}/${VERSION}`;
/** Reported time window. The values are those at the time of the request. */
const WINDOW = '20s';
const VERBS = ['get', 'list'];

/** Serves metrics.k8s.io for `kubectl top` and autoscalers. */
export function metricsApi(source: MetricsSource): ApiExtension {
  return {
    group: GROUP,
    version: VERSION,
    priority: { group: 100, version: 100 },
    resources: [
      { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: VERBS },
      { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: VERBS },
    ],
    handle: (request) => response(source, request),
  };
}

function response(source: MetricsSource, request: ExtensionRequest): ExtensionAnswer {
  const { resource, name, namespace } = request;
  if (resource === 'nodes') {
    if (name === '')
      return listMetrics('NodeMetricsList', source.nodes(), (node) => nodeMetrics(source, node), request);
    const node = source.node(name);
    return node === undefined ? missing('nodemetrics', name) : { status: 200, body: nodeMetrics(source, node) };
  }
  if (name === '')
    return listMetrics('PodMetricsList', source.pods(namespace), (pod) => podMetrics(source, pod), request);
  const pod = source.pod(namespace, name);
  const metrics = pod === undefined ? undefined : podMetrics(source, pod);
  return metrics === undefined ? missing('podmetrics', `${namespace}/${name}`) : { status: 200, body: metrics };
}

function listMetrics<T extends { readonly metadata: KubeMeta }>(
  kind: string,
  all: Iterable<T>,
  metricsOf: (object: T) => object | undefined,
  { query }: ExtensionRequest,
): ExtensionAnswer {
  const matches = selection(query);
  const items: object[] = [];
  for (const object of all) {
    const metrics = matches(object.metadata) ? metricsOf(object) : undefined;
    if (metrics !== undefined) items.push(metrics);
  }
  return { status: 200, body: { kind, apiVersion: API, metadata: {}, items } };
}

/** Returns a filter for label selectors, and for field selectors by name and namespace. */
function selection(query: URLSearchParams): (metadata: KubeMeta) => boolean {
  try {
    const labels = parseLabelSelector(query.get('labelSelector') ?? '');
    const fields = (query.get('fieldSelector') ?? '').split(',').filter((part) => part !== '');
    const desired = fields.map((part) => fieldOf(part));
    return (metadata) => labels.matches(metadata.labels) && desired.every((matches) => matches(metadata));
  } catch (error) {
    if (error instanceof ParseError) throw new KubeError(400, 'BadRequest', error.message, {}, { cause: error });
    throw error;
  }
}

function fieldOf(part: string): (metadata: KubeMeta) => boolean {
  const [, field, not, value] = /^metadata\.(name|namespace)(!?)==?(.*)$/.exec(part) ?? [];
  if (field === undefined) throw new ParseError(`field label not supported: ${part}`);
  return (metadata) => (metadata[field as 'name' | 'namespace'] === value) === (not === '');
}

function nodeMetrics(source: MetricsSource, { metadata }: Node): object {
  const sum = { cores: 0, bytes: 0 };
  for (const pod of source.podsOn(metadata.name ?? '')) {
    const usage = source.usageOf(pod);
    sum.cores += usage?.cores ?? 0;
    sum.bytes += usage?.bytes ?? 0;
  }
  return { kind: 'NodeMetrics', apiVersion: API, ...formatMetrics(source, metadata), usage: amounts(sum) };
}

function podMetrics(source: MetricsSource, pod: Pod): object | undefined {
  const { metadata, spec, status } = pod;
  const usage = status?.phase === 'Running' ? source.usageOf(pod) : undefined;
  if (usage === undefined) return undefined;
  // The usage of a pod is attributed to its first container.
  const containers = spec.containers.map(({ name }, i) => ({ name, usage: amounts(i === 0 ? usage : NONE) }));
  return { kind: 'PodMetrics', apiVersion: API, ...formatMetrics(source, metadata), containers };
}

const NONE: SimulatedUsage = { cores: 0, bytes: 0 };

function formatMetrics(source: MetricsSource, { name, namespace, labels }: KubeMeta): object {
  const time = timestamp(source.now());
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: time,
      ...(labels === undefined ? {} : { labels }),
    },
    timestamp: time,
    window: WINDOW,
  };
}

/** Formats usage in nanocores and kibibytes, as metrics-server does. */
function amounts({ cores, bytes }: SimulatedUsage): { cpu: string; memory: string } {
  const nano = Math.round(cores * 1e9);
  const kibi = Math.round(bytes / 1024);
  return { cpu: nano === 0 ? '0' : `${nano}n`, memory: kibi === 0 ? '0' : `${kibi}Ki` };
}

function missing(resource: string, name: string): never {
  throw new KubeError(404, 'NotFound', `${resource}.${GROUP} ${JSON.stringify(name)} not found`, {
    name,
    group: GROUP,
    kind: resource,
  });
}
