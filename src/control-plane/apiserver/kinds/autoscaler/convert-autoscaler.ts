import type { KubeObject } from '#platform/kube/kube-object';
import type { Autoscaler, AutoscalerV1, CurrentMetric, Metric } from './autoscaler-spec.ts';
import {
  readBehavior,
  readCurrent,
  readMetrics,
  writeBehavior,
  writeCurrent,
  writeMetrics,
} from './metric-annotations.ts';

/*
 * autoscaling/v1 has one metric, CPU utilization. All other fields of an autoscaler are annotations there, so that the
 * older version loses nothing.
 */

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics';
const OURS = new Set([METRICS, BEHAVIOR, CONDITIONS, CURRENT]);

function isCpu({ type, resource }: Metric): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target?.averageUtilization !== undefined;
}

/** Converts a stored autoscaler (autoscaling/v2) to autoscaling/v1. */
export function olderAutoscaler(object: KubeObject & Autoscaler): KubeObject & AutoscalerV1 {
  const { metadata, spec = {}, status = {} } = object;
  const { metrics = [], behavior, ...plain } = spec;
  const { currentMetrics, conditions = [], ...counts } = status;
  const cpu = metrics.find(isCpu);
  const others = metrics.filter((metric) => metric !== cpu);
  const measured = currentMetrics ?? [];
  const annotations: Record<string, string> = {};
  if (others.length > 0) annotations[METRICS] = writeMetrics(others);
  if (behavior !== undefined) annotations[BEHAVIOR] = writeBehavior(behavior);
  if (measured.length > 0) annotations[CURRENT] = writeCurrent(measured);
  if (conditions.length > 0) annotations[CONDITIONS] = JSON.stringify(conditions);
  const aim = cpu?.resource?.target?.averageUtilization;
  const used = measured.find(({ type, resource }) => type === 'Resource' && resource?.name === 'cpu');
  const percent = used?.resource?.current?.averageUtilization;
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(metadata, annotations),
    spec: { ...plain, ...(aim === undefined ? {} : { targetCPUUtilizationPercentage: aim }) },
    status: {
      currentReplicas: 0,
      ...counts,
      ...(percent === undefined ? {} : { currentCPUUtilizationPercentage: percent }),
    },
  };
}

/** Converts an autoscaler of autoscaling/v1 to its stored form. */
export function storedAutoscaler(object: KubeObject & AutoscalerV1): KubeObject & Autoscaler {
  const { metadata, spec = {}, status = {} } = object;
  const { targetCPUUtilizationPercentage: aim, ...plain } = spec;
  const { currentCPUUtilizationPercentage: percent, ...counts } = status;
  const { annotations = {} } = metadata;
  const metrics = readMetrics(list(annotations[METRICS]));
  if (aim !== undefined) {
    const target = { type: 'Utilization', averageUtilization: aim };
    metrics.push({ type: 'Resource', resource: { name: 'cpu', target } });
  }
  const behavior = parseAnnotation(annotations[BEHAVIOR]);
  const conditions = list(annotations[CONDITIONS]);
  if (counts.currentReplicas === 0) delete counts.currentReplicas;
  return {
    kind: object.kind,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, {}),
    spec: {
      ...plain,
      ...(metrics.length > 0 ? { metrics } : {}),
      ...(behavior === undefined ? {} : { behavior: readBehavior(behavior) }),
    },
    status: {
      ...counts,
      currentMetrics: readCurrentMetrics(annotations[CURRENT], percent),
      ...(conditions.length > 0 ? { conditions } : {}),
    },
  };
}

function readCurrentMetrics(annotation: string | undefined, percent: number | undefined): CurrentMetric[] | null {
  if (annotation !== undefined) return readCurrent(list(annotation));
  if (percent === undefined) return null;
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percent } } }];
}

function withAnnotations(
  { annotations: present = {}, ...rest }: KubeObject['metadata'],
  added: Readonly<Record<string, string>>,
): KubeObject['metadata'] {
  const others = Object.entries(present).filter(([name]) => !OURS.has(name));
  const annotations = { ...Object.fromEntries(others), ...added };
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}

/** Parses an annotation. An invalid one counts as absent. */
function parseAnnotation(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function list(text: string | undefined): Record<string, unknown>[] {
  const found = parseAnnotation(text);
  return Array.isArray(found) ? (found as Record<string, unknown>[]) : [];
}
