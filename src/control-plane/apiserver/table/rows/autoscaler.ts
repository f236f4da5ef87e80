import { ageOf, type Cell, formatQuantityCell, type Listed, nameOf } from '../cell.ts';

interface Amount {
  readonly value?: string | number;
  readonly averageValue?: string | number;
  readonly averageUtilization?: number;
}

interface Metric {
  readonly type?: string;
  readonly external?: Source;
  readonly pods?: Source;
  readonly object?: Source;
  readonly resource?: Source;
  readonly containerResource?: Source;
}

interface Source {
  readonly name?: string;
  readonly target?: Amount;
  readonly current?: Amount;
}

interface Autoscaler extends Listed {
  readonly spec?: {
    readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string };
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly metrics?: readonly Metric[];
    readonly targetCPUUtilizationPercentage?: number;
  };
  readonly status?: {
    readonly currentReplicas?: number;
    readonly currentMetrics?: readonly Metric[] | null;
    readonly currentCPUUtilizationPercentage?: number;
  };
}

export function autoscalerRow(object: Autoscaler, now: number): Cell[] {
  const { scaleTargetRef, minReplicas, maxReplicas = 0 } = object.spec ?? {};
  return [
    nameOf(object),
    `${scaleTargetRef?.kind ?? ''}/${scaleTargetRef?.name ?? ''}`,
    targets(object),
    minReplicas === undefined ? '<unset>' : String(minReplicas),
    maxReplicas,
    object.status?.currentReplicas ?? 0,
    ageOf(object, now),
  ];
}

const MAX_METRICS = 2;

function targets(object: Autoscaler): string {
  const metrics = object.spec?.metrics ?? cpuMetric('target', object.spec?.targetCPUUtilizationPercentage);
  const current = object.status?.currentMetrics ?? cpuMetric('current', object.status?.currentCPUUtilizationPercentage);
  if (metrics.length === 0) return '<none>';
  const texts = metrics.slice(0, MAX_METRICS).map((metric, i) => formatMetric(metric, current[i]));
  return texts.join(', ') + (metrics.length > MAX_METRICS ? ` + ${metrics.length - MAX_METRICS} more...` : '');
}

/** Builds the only metric of version 1, CPU utilization, from its two fields. */
function cpuMetric(side: 'target' | 'current', averageUtilization: number | undefined): Metric[] {
  if (averageUtilization === undefined) return [];
  return [{ type: 'Resource', resource: { name: 'cpu', [side]: { averageUtilization } } }];
}

function formatMetric(spec: Metric, status: Metric | undefined): string {
  switch (spec.type) {
    case 'External':
      return formatOutside(spec.external, status?.external?.current);
    case 'Object':
      return formatOutside(spec.object, status?.object?.current);
    case 'Pods':
      return `${reading(status?.pods?.current, 'averageValue')}/${quantity(spec.pods?.target?.averageValue)}`;
    case 'Resource':
      return formatResource(spec.resource, status?.resource?.current);
    case 'ContainerResource':
      return formatResource(spec.containerResource, status?.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

function formatOutside(spec: Source | undefined, current: Amount | undefined): string {
  const average = spec?.target?.averageValue;
  if (average === undefined) return `${reading(current, 'value')}/${quantity(spec?.target?.value)}`;
  const now = current?.averageValue === undefined ? '<unknown>' : quantity(current.averageValue);
  return `${now}/${quantity(average)} (avg)`;
}

function formatResource(spec: Source | undefined, current: Amount | undefined): string {
  const { averageValue, averageUtilization } = spec?.target ?? {};
  const name = spec?.name ?? '';
  if (averageValue !== undefined) return `${name}: ${reading(current, 'averageValue')}/${quantity(averageValue)}`;
  const now = current?.averageUtilization === undefined ? '<unknown>' : `${current.averageUtilization}%`;
  return `${name}: ${now}/${averageUtilization === undefined ? '<auto>' : `${averageUtilization}%`}`;
}

const reading = (current: Amount | undefined, field: 'value' | 'averageValue') =>
  current === undefined ? '<unknown>' : quantity(current[field]);

/** Go prints an absent quantity as this word. */
const quantity = (value: string | number | undefined) => (value === undefined ? '<nil>' : formatQuantityCell(value));
