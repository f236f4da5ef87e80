import type { CurrentMetric, Metric, MetricSource, MetricTarget } from './autoscaler-spec.ts';

/*
 * Metrics in annotations of autoscaling/v1 have the form of an alpha version, in which targets and current values have
 * different field names for each kind of value.
 */

type Fields = Readonly<Record<string, unknown>>;
type Prefix = 'target' | 'current';

const namedFields = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Returns the field of a metric type: `Resource` -> `resource`. */
export function sourceField(type = ''): string {
  return `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;
}

function writeMetric(prefix: Prefix, type: string, source: MetricSource, values: MetricTarget): Fields {
  const { averageUtilization, averageValue, value } = values;
  // A current value is always present, even if it is 0.
  const zero = prefix === 'current' ? '0' : undefined;
  const { metric = {}, describedObject } = source;
  switch (type) {
    case 'Resource':
    case 'ContainerResource':
      return namedFields({
        name: source.name,
        [`${prefix}AverageUtilization`]: averageUtilization,
        [`${prefix}AverageValue`]: averageValue ?? zero,
        container: source.container,
      });
    case 'Pods':
      return namedFields({
        metricName: metric.name,
        [`${prefix}AverageValue`]: averageValue,
        selector: metric.selector,
      });
    case 'Object': {
      const { kind, name, apiVersion } = describedObject ?? {};
      return namedFields({
        target: namedFields({ kind, name, apiVersion }),
        metricName: metric.name,
        [`${prefix}Value`]: value ?? '0',
        selector: metric.selector,
        averageValue,
      });
    }
    default:
      return namedFields({
        metricName: metric.name,
        metricSelector: metric.selector,
        [`${prefix}Value`]: value ?? zero,
        [`${prefix}AverageValue`]: averageValue,
      });
  }
}

export function writeMetrics(metrics: readonly Metric[]): string {
  return JSON.stringify(
    metrics.map((metric) => {
      const { type = '' } = metric;
      const source = metric[sourceField(type) as 'object'] ?? {};
      return { type, [sourceField(type)]: writeMetric('target', type, source, source.target ?? {}) };
    }),
  );
}

export function writeCurrent(metrics: readonly CurrentMetric[]): string {
  return JSON.stringify(
    metrics.map((metric) => {
      const { type = '' } = metric;
      const source = metric[sourceField(type) as 'object'] ?? {};
      return { type, [sourceField(type)]: writeMetric('current', type, source, source.current ?? {}) };
    }),
  );
}

interface Alpha {
  readonly type?: string;
  readonly [source: string]: unknown;
}

/** Returns the source and the values of a metric of an annotation. */
function read(prefix: Prefix, metric: Alpha): { type: string; source: Fields; values: MetricTarget } {
  const { type = '' } = metric;
  const found = (metric[sourceField(type)] ?? {}) as Record<string, string & number & object>;
  const average = found[`${prefix}AverageValue`] ?? found['averageValue'];
  const value = found[`${prefix}Value`];
  const values = namedFields({
    averageUtilization: found[`${prefix}AverageUtilization`],
    averageValue: average,
    // If there is an average, a plain value of 0 means none.
    value: average !== undefined && value === '0' ? undefined : value,
  });
  const name = found['metricName'];
  const source = namedFields({
    name: found['name'],
    container: found['container'],
    describedObject: found['target'],
    metric:
      name === undefined ? undefined : namedFields({ name, selector: found['selector'] ?? found['metricSelector'] }),
  });
  return { type, source, values };
}

export function readMetrics(metrics: readonly Alpha[]): Metric[] {
  return metrics.map((metric) => {
    const { type, source, values } = read('target', metric);
    const { averageUtilization, averageValue } = values;
    const kind =
      averageUtilization === undefined ? (averageValue === undefined ? 'Value' : 'AverageValue') : 'Utilization';
    return { type, [sourceField(type)]: { ...source, target: { type: kind, ...values } } };
  });
}

export function readCurrent(metrics: readonly Alpha[]): CurrentMetric[] {
  return metrics.map((metric) => {
    const { type, source, values } = read('current', metric);
    return { type, [sourceField(type)]: { ...source, current: values } };
  });
}

/** Formats the scaling rules, which an annotation has under the Go names of their fields. */
export function writeBehavior({ scaleUp, scaleDown }: { scaleUp?: object; scaleDown?: object }): string {
  const rules = (given: Fields | undefined) =>
    given === undefined
      ? null
      : {
          StabilizationWindowSeconds: given['stabilizationWindowSeconds'] ?? null,
          SelectPolicy: given['selectPolicy'] ?? null,
          Policies: renameKeys(
            given['policies'] ?? null,
            (name) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
          ),
          Tolerance: given['tolerance'] ?? null,
        };
  return JSON.stringify({ ScaleUp: rules(scaleUp as Fields), ScaleDown: rules(scaleDown as Fields) });
}

export function readBehavior(behavior: unknown): object {
  return renameKeys(behavior, (name) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`) as object;
}

function renameKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([name, item]) => [rename(name), renameKeys(item, rename)]));
}
