import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { causesFor, validateNotNegative, validateOneOf, validateOneOfIfSet } from '../field-checks.ts';
import { fill } from '../fill.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { pathSegmentProblems } from '../object-name.ts';
import type {
  Autoscaler,
  AutoscalerV1,
  Metric,
  MetricTarget,
  ObjectReference,
  ScalingRules,
} from './autoscaler-spec.ts';
import { storedAutoscaler } from './convert-autoscaler.ts';
import { sourceField } from './metric-annotations.ts';

const CPU_PERCENT = 80;
const MAX_WINDOW_SECONDS = 3600;
const METRIC_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

const isOlder = (object: KubeObject) => object.apiVersion === 'autoscaling/v1';

export const autoscalers: KindStrategy<Autoscaler | AutoscalerV1> = {
  defaults(object) {
    if (isOlder(object)) defaultOlder((object.spec ??= {}), object);
    else defaultNewer((object.spec ??= {}));
  },
  firstStatus: (object) =>
    isOlder(object) ? { currentReplicas: 0, desiredReplicas: 0 } : { desiredReplicas: 0, currentMetrics: null },
  validate: (object) => validateSpec((isOlder(object) ? storedAutoscaler(object) : object).spec ?? {}),
};

function defaultOlder(spec: NonNullable<AutoscalerV1['spec']>, { metadata }: KubeObject): void {
  spec.minReplicas ??= 1;
  const others = metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics'];
  if (others === undefined) spec.targetCPUUtilizationPercentage ??= CPU_PERCENT;
}

function defaultNewer(spec: NonNullable<Autoscaler['spec']>): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: 'Utilization', averageUtilization: CPU_PERCENT };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (spec.behavior === undefined) return;
  fill((spec.behavior.scaleUp ??= {}), {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  });
  const down = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
  fill((spec.behavior.scaleDown ??= {}), down);
}

function validateSpec(spec: NonNullable<Autoscaler['spec']>): FieldError[] {
  const { minReplicas, maxReplicas = 0, metrics = [], behavior = {} } = spec;
  const causes: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < 1) {
    causes.push(invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1'));
  }
  if (maxReplicas === 0) causes.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  if (maxReplicas < 0) causes.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    causes.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  append(causes, validateReference('spec.scaleTargetRef', spec.scaleTargetRef ?? {}, true));
  for (const [i, metric] of metrics.entries()) append(causes, validateMetric(index('spec.metrics', i), metric));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
    causes.push(forbidden('spec.metrics', detail));
  }
  for (const way of ['scaleUp', 'scaleDown'] as const) {
    const rules = behavior[way];
    if (rules !== undefined) append(causes, validateRules(`spec.behavior.${way}`, rules));
  }
  return causes;
}

function validateReference(field: string, reference: ObjectReference, needsGroup: boolean): FieldError[] {
  const { kind = '', name = '', apiVersion = '' } = reference;
  const causes = [
    ...(kind === '' ? [required(`${field}.kind`)] : causesFor(`${field}.kind`, kind, pathSegmentProblems(kind))),
    ...(name === '' ? [required(`${field}.name`)] : causesFor(`${field}.name`, name, pathSegmentProblems(name))),
  ];
  const grouped = apiVersion.includes('/') || (apiVersion !== '' && kind === 'ReplicationController');
  if (needsGroup && !grouped) {
    causes.push(invalid(`${field}.apiVersion`, apiVersion, 'apiVersion must specify API group'));
  }
  return causes;
}

const NO_VALUE: Readonly<Record<string, string>> = {
  resource: 'must set either a target raw value or a target utilization',
  containerResource: 'must set either a target raw value or a target utilization',
  pods: 'must specify a positive target averageValue',
  object: 'must set either a target value or averageValue',
  external: 'must set either a target value for metric or a per-pod target',
};

function validateMetric(field: string, metric: Metric): FieldError[] {
  const { type = '' } = metric;
  const causes = type === '' ? [required(`${field}.type`, 'must specify a metric source type')] : [];
  const known = METRIC_TYPES.includes(type);
  // The server reports it twice: as an unknown value, and as a missing source.
  const unknown = known ? [] : validateOneOf(`${field}.type`, type, METRIC_TYPES);
  append(causes, unknown);
  for (const each of known ? [type] : SOURCE_ORDER) append(causes, validateSource(field, metric, each, known));
  return [...causes, ...unknown];
}

/** Order in which the server validates the sources of a metric. */
const SOURCE_ORDER = ['Object', 'External', 'Pods', 'Resource', 'ContainerResource'];

/** Validates one source of a metric, which is required if the metric has its type. */
function validateSource(field: string, metric: Metric, type: string, isNeeded: boolean): FieldError[] {
  const causes: FieldError[] = [];
  const name = sourceField(type);
  const source = metric[name as 'object'];
  const at = `${field}.${name}`;
  if (source === undefined && !isNeeded) return [];
  if (source === undefined) return [required(at, 'must populate information for the given metric source')];
  if (type === 'Object')
    append(causes, validateReference(`${at}.describedObject`, source.describedObject ?? {}, false));
  if (type === 'Resource' || type === 'ContainerResource') {
    if ((source.name ?? '') === '') causes.push(required(`${at}.name`, 'must specify a resource name'));
    if (type === 'ContainerResource' && (source.container ?? '') === '') {
      causes.push(required(`${at}.container`, 'must specify a container'));
    }
  } else if ((source.metric?.name ?? '') === '') {
    causes.push(required(`${at}.metric.name`, 'must specify a metric name'));
  }
  return [...causes, ...validateTarget(`${at}.target`, source.target ?? {}, name)];
}

function validateTarget(field: string, target: MetricTarget, source: string): FieldError[] {
  const { type = '', averageUtilization, averageValue, value } = target;
  const causes = type === '' ? [required(`${field}.type`, 'must specify a metric target type')] : [];
  if (type !== 'Utilization' && type !== 'Value' && type !== 'AverageValue') {
    causes.push(invalid(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    causes.push(invalid(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  }
  const ofResource = source === 'resource' || source === 'containerResource';
  const given = ofResource
    ? (averageUtilization ?? averageValue)
    : source === 'pods'
      ? averageValue
      : (averageValue ?? value);
  if (given !== undefined) return causes;
  return [
    ...causes,
    required(`${field}.${ofResource ? 'averageUtilization' : 'averageValue'}`, NO_VALUE[source] ?? ''),
  ];
}

function validateRules(field: string, rules: ScalingRules): FieldError[] {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = rules;
  const causes = validateNotNegative(`${field}.stabilizationWindowSeconds`, window);
  if ((window ?? 0) > MAX_WINDOW_SECONDS) {
    const detail = `must be less than or equal to ${MAX_WINDOW_SECONDS}`;
    causes.push(invalid(`${field}.stabilizationWindowSeconds`, window, detail));
  }
  append(causes, validateOneOfIfSet(`${field}.selectPolicy`, selectPolicy, ['Disabled', 'Max', 'Min']));
  if (policies.length === 0) causes.push(required(`${field}.policies`, 'must specify at least one Policy'));
  for (const [i, { type, value = 0, periodSeconds = 0 }] of policies.entries()) {
    const at = index(`${field}.policies`, i);
    append(causes, validateOneOf(`${at}.type`, type, ['Percent', 'Pods']));
    if (value <= 0) causes.push(invalid(`${at}.value`, value, 'must be greater than zero'));
    if (periodSeconds <= 0) causes.push(invalid(`${at}.periodSeconds`, periodSeconds, 'must be greater than zero'));
  }
  return causes;
}
