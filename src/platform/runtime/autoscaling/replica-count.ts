import { conditionOf, type KubeCondition } from '#platform/kube/kinds/condition';

/** Replica as the arithmetic sees it: a pod, or a VM in the same terms. */
export interface Replica {
  readonly metadata: { readonly name?: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly KubeCondition[];
  };
}

/** Measured value of a replica, in thousandths. */
export interface PodMeasurement {
  readonly value: number;
  readonly at: number;
  readonly windowMs: number;
}

export type Measurements = ReadonlyMap<string, PodMeasurement>;

/** Deviation from the target that causes no change, as a fraction of it. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

export interface Proposal {
  readonly replicas: number;
  /** Average over the pods, in thousandths. */
  readonly average: number;
  /** Percentage of the requests that is used. Absent unless the target is a utilization. */
  readonly utilization?: number;
}

/** Time in which the CPU usage of a starting pod says nothing about its load. */
const CPU_INITIALIZATION_MS = 5 * 60_000;
/** Time in which a pod that was never ready counts as starting. */
const INITIAL_READINESS_MS = 30_000;

const isWithin = (ratio: number, { up, down }: Tolerances) => 1 - down <= ratio && ratio <= 1 + up;

export interface Sizing {
  readonly current: number;
  readonly pods: readonly Replica[];
  readonly measurements: Measurements;
  readonly tolerances: Tolerances;
  /** Resource that is measured. The CPU usage of starting pods does not count. */
  readonly resource?: string;
  readonly now: number;
}

/** Returns the replicas at which the average over the pods meets a target. */
export function replicasForAverage(sizing: Sizing, target: number): Proposal {
  const averageOf = (values: ReadonlyMap<string, number>) => {
    const total = [...values.values()].reduce((sum, value) => sum + value, 0);
    return { ratio: Math.trunc(total / values.size) / target, average: Math.trunc(total / values.size) };
  };
  return proposalFor(sizing, averageOf, () => target);
}

/** Returns the replicas at which the pods together use a percentage of what they request. */
export function replicasForUtilization(
  sizing: Sizing,
  requests: ReadonlyMap<string, number>,
  target: number,
): Proposal {
  const utilizationOf = (values: ReadonlyMap<string, number>) => {
    const known = [...values].filter(([name]) => requests.has(name));
    const total = known.reduce((sum, [, value]) => sum + value, 0);
    const requested = known.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0);
    if (requested === 0) throw new Error('no metrics returned matched known pods');
    const utilization = Math.trunc((total * 100) / requested);
    return { ratio: utilization / target, average: Math.trunc(total / known.length), utilization };
  };
  const full = (name: string) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100);
  return proposalFor(sizing, utilizationOf, full);
}

interface Usage {
  readonly ratio: number;
  readonly average: number;
  readonly utilization?: number;
}

/**
 * Proposes a number of replicas. Pods that are not measured are assumed to use nothing if the others use too much, and
 * all that they may use if the others use too little, so that they never cause a change that they might not need.
 */
function proposalFor(
  { current, pods, measurements, tolerances, resource, now }: Sizing,
  usageOf: (values: ReadonlyMap<string, number>) => Usage,
  full: (pod: string) => number,
): Proposal {
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = groupPods(pods, measurements, resource, now);
  const left = new Set([...unready, ...ignored]);
  const values = new Map(
    [...measurements].filter(([name]) => !left.has(name)).map(([name, { value }]) => [name, value]),
  );
  if (values.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, ...usage } = usageOf(values);
  const isGrowing = unready.length > 0 && ratio > 1;
  if (!isGrowing && missing.length === 0) {
    return { replicas: isWithin(ratio, tolerances) ? current : Math.ceil(ratio * ready), ...usage };
  }
  if (ratio < 1) for (const name of missing) values.set(name, full(name));
  if (ratio > 1) for (const name of missing) values.set(name, 0);
  if (isGrowing) for (const name of unready) values.set(name, 0);
  const { ratio: assumed } = usageOf(values);
  const replicas = Math.ceil(assumed * values.size);
  const isReversed = (ratio < 1 && assumed > 1) || (ratio > 1 && assumed < 1);
  const isContrary = (assumed < 1 && replicas > current) || (assumed > 1 && replicas < current);
  return { replicas: isWithin(assumed, tolerances) || isReversed || isContrary ? current : replicas, ...usage };
}

function groupPods(pods: readonly Replica[], measurements: Measurements, resource: string | undefined, now: number) {
  const groups = { ready: 0, unready: [] as string[], missing: [] as string[], ignored: [] as string[] };
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const measured = measurements.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') groups.ignored.push(name);
    else if (pod.status?.phase === 'Pending') groups.unready.push(name);
    else if (measured === undefined) groups.missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, measured, now)) groups.unready.push(name);
    else groups.ready++;
  }
  return groups;
}

function isStarting({ status }: Replica, { at, windowMs }: PodMeasurement, now: number): boolean {
  const ready = conditionOf(status?.conditions, 'Ready');
  const started = Date.parse(status?.startTime ?? '');
  if (ready === undefined || Number.isNaN(started)) return true;
  const changed = Date.parse(ready.lastTransitionTime ?? '') || 0;
  if (started + CPU_INITIALIZATION_MS > now) return ready.status === 'False' || at < changed + windowMs;
  return ready.status === 'False' && started + INITIAL_READINESS_MS > changed;
}

/** Returns the replicas at which a value of something else, such as a queue, meets a target. */
export function replicasForValue(
  current: number,
  pods: readonly Replica[],
  value: number,
  target: number,
  tolerances: Tolerances,
): number {
  const ratio = value / target;
  if (current === 0) return Math.ceil(ratio);
  if (isWithin(ratio, tolerances)) return current;
  if (pods.length === 0) {
    throw new Error('unable to calculate ready pods: no pods returned by selector while calculating replica count');
  }
  const ready = pods.filter(
    ({ status }) => status?.phase === 'Running' && conditionOf(status.conditions, 'Ready')?.status === 'True',
  );
  return Math.min(MAX_INT32, Math.ceil(ratio * ready.length));
}

/** Returns the replicas at which a value meets a target for each of them. */
export function replicasForShare(
  statusReplicas: number,
  value: number,
  target: number,
  tolerances: Tolerances,
): number {
  const ratio = value / (target * statusReplicas);
  return isWithin(ratio, tolerances) ? statusReplicas : Math.min(MAX_INT32, Math.ceil(value / target));
}

const MAX_INT32 = 2 ** 31 - 1;
