import { parseDuration } from '#platform/base/duration';
import { milliValue, parseQuantity } from '#platform/base/quantity';
import type { Client } from '#platform/kube/client';
import type { CrossVersionReference, MetricIdentifier } from '#platform/kube/kinds/autoscaling';
import { isNotFound } from '#platform/kube/kube-error';
import { podMetricsPath } from '#platform/kube/pod-metrics';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import type { DiscoveryCache } from '../discovery-cache.ts';
import type { Measurements, PodMeasurement } from './replica-count.ts';

const CUSTOM = 'custom.metrics.k8s.io';
const EXTERNAL = 'external.metrics.k8s.io';
const DEFAULT_WINDOW_MS = 60_000;

interface PodUsage {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
}

interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly value: string | number;
}

/** Served kinds and versions. Without them, the oldest version of a metrics API is read, which all servers have. */
export type Catalog = Pick<DiscoveryCache, 'ofKind' | 'now'>;

/** Reads the metrics APIs, as whichever server serves them. Values are in thousandths. */
export class MetricsReader {
  readonly #client: Pick<Client, 'raw'>;
  readonly #catalog: Catalog;
  readonly #namespace: string;

  constructor(client: Pick<Client, 'raw'>, catalog: Catalog, namespace: string) {
    this.#client = client;
    this.#catalog = catalog;
    this.#namespace = namespace;
  }

  /** Returns the usage of a resource by pods, or by one container of each. */
  async resource(name: string, selector: string, container?: string): Promise<Measurements> {
    const path = `${podMetricsPath(this.#namespace)}${queryOf({ labelSelector: selector })}`;
    const items = await this.#items<PodUsage>(path, 'resource');
    return new Map(
      items.flatMap((pod) => {
        const { containers = [] } = pod;
        const counted = container === undefined ? containers : containers.filter((each) => each.name === container);
        const values = counted.map(({ usage }) => usage?.[name]);
        if (values.length === 0 || values.includes(undefined)) return [];
        const value = values.reduce((sum, text) => sum + milliValue(parseQuantity(text ?? '0')), 0);
        return [[pod.metadata.name, { value, at: Date.parse(pod.timestamp), windowMs: windowOf(pod.window) }]];
      }),
    );
  }

  /** Returns a custom metric of each pod. */
  async pods(metric: MetricIdentifier, selector: string): Promise<Measurements> {
    const query = queryOf({ labelSelector: selector, metricLabelSelector: textOf(metric) });
    const path = `/apis/${this.#versionOf(CUSTOM)}/namespaces/${this.#namespace}/pods/*/${metric.name}${query}`;
    const items = await this.#items<MetricValue>(path, 'custom');
    return new Map(items.map((item) => [item.describedObject?.name ?? '', measurementOf(item)]));
  }

  /** Returns a custom metric of an object. */
  async object(metric: MetricIdentifier, object: CrossVersionReference): Promise<number> {
    const query = queryOf({ metricLabelSelector: textOf(metric) });
    const path = `/apis/${this.#versionOf(CUSTOM)}/${this.#objectPath(object)}/${metric.name}${query}`;
    const [item] = await this.#items<MetricValue>(path, 'custom');
    return milliValue(parseQuantity(item?.value ?? '0'));
  }

  /** Returns the sum of the values of an external metric. */
  async external(metric: MetricIdentifier): Promise<number> {
    const query = queryOf({ labelSelector: textOf(metric) });
    const path = `/apis/${this.#versionOf(EXTERNAL)}/namespaces/${this.#namespace}/${metric.name}${query}`;
    const items = await this.#items<MetricValue>(path, 'external');
    return items.reduce((sum, { value }) => sum + milliValue(parseQuantity(value)), 0);
  }

  #objectPath({ apiVersion = 'v1', kind, name }: CrossVersionReference): string {
    if (kind === 'Namespace' && apiVersion === 'v1') return `namespaces/${this.#namespace}/metrics`;
    const { plural, group } = this.#catalog.ofKind(apiVersion, kind) ?? { plural: kind.toLowerCase(), group: '' };
    return `namespaces/${this.#namespace}/${plural}${group === '' ? '' : `.${group}`}/${name}`;
  }

  #versionOf(group: string): string {
    const found = this.#catalog.now.resources.find((each) => each.group === group);
    return `${group}/${found?.version ?? 'v1beta1'}`;
  }

  async #items<T>(path: string, api: 'resource' | 'custom' | 'external'): Promise<readonly T[]> {
    let items: readonly T[];
    try {
      ({ items = [] } = JSON.parse(await this.#client.raw(path)) as { items?: readonly T[] });
    } catch (error) {
      const why = isNotFound(error) ? 'the server could not find the requested resource' : (error as Error).message;
      throw new Error(`unable to fetch metrics from ${api} metrics API: ${why}`, { cause: error });
    }
    if (items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`);
    return items;
  }
}

const textOf = ({ selector }: MetricIdentifier): string =>
  selector === undefined ? '' : labelSelectorOf(selector).toString();

function queryOf(parameters: Readonly<Record<string, string>>): string {
  const set = Object.entries(parameters).filter(([, value]) => value !== '');
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`;
}

function measurementOf({ timestamp = '', windowSeconds, value }: MetricValue): PodMeasurement {
  const windowMs = windowSeconds === undefined ? DEFAULT_WINDOW_MS : windowSeconds * 1000;
  return { value: milliValue(parseQuantity(value)), at: Date.parse(timestamp), windowMs };
}

const windowOf = (text: string | undefined): number => (text === undefined ? DEFAULT_WINDOW_MS : parseDuration(text));
