import { formatQuantity, milliQuantityOf, milliValue, parseQuantity } from '#platform/base/quantity';
import type { MetricSpec, MetricTarget } from '#platform/kube/kinds/autoscaling';
import type { Pod } from '#platform/kube/kinds/pod';
import type { MetricsReader } from '#platform/runtime/autoscaling/metrics-reader';
import {
  type Proposal,
  replicasForAverage,
  replicasForShare,
  replicasForUtilization,
  replicasForValue,
  type Tolerances,
} from '#platform/runtime/autoscaling/replica-count';
import { containerRequests } from './container-requests.ts';

/** Facts beside the metric that decide the replicas of an autoscaler's target. */
export interface ScaleFacts {
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly pods: readonly Pod[];
  readonly selector: string;
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** Replicas that a metric proposes, its name for people, and its entry in the status. */
export interface MetricProposal {
  readonly replicas: number;
  readonly name: string;
  readonly status: object;
}

/** Reason of the condition if a metric of a type cannot be read, and what the message calls it. */
const FAILURES: Readonly<Record<string, readonly [reason: string, what: (spec: MetricSpec) => string]>> = {
  Resource: ['FailedGetResourceMetric', ({ resource }) => `${resource?.name} resource metric value`],
  ContainerResource: [
    'FailedGetContainerResourceMetric',
    ({ containerResource }) => `${containerResource?.container} container metric value`,
  ],
  Pods: ['FailedGetPodsMetric', () => 'pods metric value'],
  Object: ['FailedGetObjectMetric', () => 'object metric value'],
  External: ['FailedGetExternalMetric', ({ external }) => `${external?.metric.name} external metric value`],
};

/** Reports that a metric could not be evaluated. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
  /** Reason of the condition and of the Event. */
  readonly reason: string;
  readonly detail: string;

  constructor(spec: MetricSpec, cause: Error) {
    const [reason, what] = FAILURES[spec.type] ?? ['InvalidMetricSourceType', () => 'metric value'];
    super(`failed to get ${what(spec)}: ${cause.message}`, { cause });
    this.reason = reason;
    this.detail = cause.message;
  }
}

/** Evaluates one metric of an autoscaler. Throws a MetricError. */
export async function evaluateMetric(
  spec: MetricSpec,
  facts: ScaleFacts,
  reader: MetricsReader,
): Promise<MetricProposal> {
  try {
    return await proposalOf(spec, facts, reader);
  } catch (error) {
    throw new MetricError(spec, error as Error);
  }
}

async function proposalOf(spec: MetricSpec, facts: ScaleFacts, reader: MetricsReader): Promise<MetricProposal> {
  if (spec.resource !== undefined) return await resourceProposal(spec.resource, facts, reader);
  if (spec.containerResource !== undefined) return await resourceProposal(spec.containerResource, facts, reader);
  if (spec.pods !== undefined) return await podsProposal(spec.pods, facts, reader);
  const { object, external } = spec;
  if (object !== undefined) {
    const { describedObject, metric, target } = object;
    const place = `${describedObject.kind} ${describedObject.name}`;
    const value = await withErrorPrefix(
      `unable to get metric ${metric.name}: ${place}`,
      reader.object(metric, describedObject),
    );
    const { replicas, current } = shareOrValue(value, target, facts);
    const name =
      target.averageValue === undefined ? `${describedObject.kind} metric ${metric.name}` : externalName(metric);
    return { replicas, name, status: { type: 'Object', object: { describedObject, metric, current } } };
  }
  if (external === undefined) throw new Error(`unknown metric source type "${spec.type}"`);
  const { metric, target } = external;
  const value = await withErrorPrefix(`unable to get external metric ${metric.name}`, reader.external(metric));
  const { replicas, current } = shareOrValue(value, target, facts);
  return { replicas, name: externalName(metric), status: { type: 'External', external: { metric, current } } };
}

const externalName = ({ name, selector }: { readonly name: string; readonly selector?: object }): string =>
  `external metric ${name}(${selector === undefined ? 'nil' : JSON.stringify(selector)})`;

const milliOf = (amount: string | number): number => milliValue(parseQuantity(amount));
const textOf = (milli: number, resource?: string): string =>
  formatQuantity({ ...milliQuantityOf(milli), format: resource === 'memory' ? 'BinarySI' : 'DecimalSI' });

async function withErrorPrefix<T>(prefix: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new Error(`${prefix}: ${(error as Error).message}`, { cause: error });
  }
}

async function resourceProposal(
  metric: { readonly name: string; readonly container?: string; readonly target: MetricTarget },
  facts: ScaleFacts,
  reader: MetricsReader,
): Promise<MetricProposal> {
  const { name, container, target } = metric;
  const what = target.averageValue === undefined ? 'utilization' : 'usage';
  const found = await withErrorPrefix(`failed to get ${name} ${what}`, resourceCount(metric, facts, reader));
  const current = {
    ...(found.utilization === undefined ? {} : { averageUtilization: found.utilization }),
    averageValue: textOf(found.average, name),
  };
  const kind = container === undefined ? 'resource' : 'container resource';
  return {
    replicas: found.replicas,
    name: what === 'usage' ? `${name} resource` : `${name} ${kind} utilization (percentage of request)`,
    status:
      container === undefined
        ? { type: 'Resource', resource: { name, current } }
        : { type: 'ContainerResource', containerResource: { name, container, current } },
  };
}

async function resourceCount(
  { name, container, target }: { readonly name: string; readonly container?: string; readonly target: MetricTarget },
  facts: ScaleFacts,
  reader: MetricsReader,
): Promise<Proposal> {
  const reading = reader.resource(name, facts.selector, container);
  const measurements = await withErrorPrefix(`unable to get metrics for resource ${name}`, reading);
  const sizing = { ...facts, current: facts.specReplicas, measurements, resource: name };
  if (target.averageValue !== undefined) return replicasForAverage(sizing, milliOf(target.averageValue));
  if (target.averageUtilization === undefined) {
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  }
  return replicasForUtilization(sizing, containerRequests(facts.pods, name, container), target.averageUtilization);
}

async function podsProposal(
  { metric, target }: NonNullable<MetricSpec['pods']>,
  facts: ScaleFacts,
  reader: MetricsReader,
): Promise<MetricProposal> {
  const measurements = await withErrorPrefix(
    `unable to get metric ${metric.name}`,
    reader.pods(metric, facts.selector),
  );
  const sizing = { ...facts, current: facts.specReplicas, measurements };
  const { replicas, average } = replicasForAverage(sizing, milliOf(target.averageValue ?? 0));
  const current = { averageValue: textOf(average) };
  return { replicas, name: `pods metric ${metric.name}`, status: { type: 'Pods', pods: { metric, current } } };
}

/** Compares a value with a target for all replicas together, or for each of them. */
function shareOrValue(value: number, target: MetricTarget, facts: ScaleFacts) {
  const { specReplicas, statusReplicas, pods, tolerances } = facts;
  if (target.averageValue !== undefined) {
    const replicas = replicasForShare(statusReplicas, value, milliOf(target.averageValue), tolerances);
    // A target without pods has no average.
    const average = statusReplicas === 0 ? value : Math.ceil(value / statusReplicas);
    return { replicas, current: { averageValue: textOf(average) } };
  }
  if (target.value === undefined) throw new Error('neither a value target nor an average value target was set');
  const replicas = replicasForValue(specReplicas, pods, value, milliOf(target.value), tolerances);
  return { replicas, current: { value: textOf(value) } };
}
