import { compare, formatQuantity, isZero, milliValue, parseQuantity, ratio } from '#platform/base/quantity';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Amounts, amountsOf } from '#platform/kube/resources/amounts';
import { podLimits, podRequests } from '#platform/kube/resources/pod-resources';
import type { Pod, Quantities, Resources } from '../kinds/pod/pod-spec.ts';
import { containersOf } from './pod-write.ts';

/** One item of a LimitRange. */
export interface Limit {
  readonly type: string;
  readonly max?: Quantities;
  readonly min?: Quantities;
  readonly default?: Quantities;
  readonly defaultRequest?: Quantities;
  readonly maxLimitRequestRatio?: Quantities;
}

/** Returns all violations of the bounds by a pod or a claim. */
export function limitProblems(limits: readonly Limit[], object: KubeObject): string[] {
  if (object.kind === 'Pod') return limits.flatMap((limit) => podProblems(limit, object as Pod));
  const { resources } = (object['spec'] ?? {}) as { readonly resources?: Resources };
  const requests = amountsOf(resources?.requests);
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap(({ type, min, max }) => [
      ...problems(min, (name, bound) => below(type, name, bound, requests, new Map())),
      ...problems(max, (name, bound) => requestAbove(type, name, bound, requests)),
    ]);
}

/** The bounds of a pod are for what its user wrote, not for the overhead that its runtime adds. */
const OF_POD = { excludeOverhead: true } as const;

function podProblems(limit: Limit, pod: Pod): string[] {
  if (limit.type === 'Pod') return allProblems(limit, podRequests(pod, OF_POD), podLimits(pod, OF_POD));
  if (limit.type !== 'Container') return [];
  return [...containersOf(pod)].flatMap(([, { resources }]) =>
    allProblems(limit, amountsOf(resources?.requests), amountsOf(resources?.limits)),
  );
}

function allProblems({ type, min, max, maxLimitRequestRatio }: Limit, requests: Amounts, limits: Amounts): string[] {
  return [
    ...problems(min, (name, bound) => below(type, name, bound, requests, limits)),
    ...problems(max, (name, bound) => above(type, name, bound, requests, limits)),
    ...problems(maxLimitRequestRatio, (name, bound) => tooFarApart(type, name, bound, requests, limits)),
  ];
}

function problems(bounds: Quantities = {}, check: (name: string, bound: string) => string | undefined): string[] {
  return Object.keys(bounds)
    .sort()
    .flatMap((name) => check(name, bounds[name] ?? '0') ?? []);
}

function below(type: string, name: string, bound: string, requests: Amounts, limits: Amounts): string | undefined {
  const start = `minimum ${name} usage per ${type} is ${formatBound(bound)}`;
  const [request, limit, min] = [requests.get(name), limits.get(name), parseQuantity(bound)];
  if (request === undefined) return `${start}.  No request is specified`;
  if (compare(request, min) < 0) return `${start}, but request is ${formatQuantity(request)}`;
  return limit !== undefined && compare(limit, min) < 0 ? `${start}, but limit is ${formatQuantity(limit)}` : undefined;
}

function above(type: string, name: string, bound: string, requests: Amounts, limits: Amounts): string | undefined {
  const start = `maximum ${name} usage per ${type} is ${formatBound(bound)}`;
  const [request, limit, max] = [requests.get(name), limits.get(name), parseQuantity(bound)];
  if (limit === undefined) return `${start}.  No limit is specified`;
  if (compare(limit, max) > 0) return `${start}, but limit is ${formatQuantity(limit)}`;
  return request !== undefined && compare(request, max) > 0
    ? `${start}, but request is ${formatQuantity(request)}`
    : undefined;
}

function requestAbove(type: string, name: string, bound: string, requests: Amounts): string | undefined {
  const start = `maximum ${name} usage per ${type} is ${formatBound(bound)}`;
  const request = requests.get(name);
  if (request === undefined) return `${start}.  No request is specified`;
  return compare(request, parseQuantity(bound)) > 0 ? `${start}, but request is ${formatQuantity(request)}` : undefined;
}

function tooFarApart(
  type: string,
  name: string,
  bound: string,
  requests: Amounts,
  limits: Amounts,
): string | undefined {
  const start = `${name} max limit to request ratio per ${type} is ${formatBound(bound)}, but`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (request === undefined || isZero(request)) return `${start} no request is specified or request is 0`;
  if (limit === undefined || isZero(limit)) return `${start} no limit is specified or limit is 0`;
  const observed = ratio(limit, request);
  return observed * 1000 > milliValue(parseQuantity(bound))
    ? `${start} provided ratio is ${observed.toFixed(6)}`
    : undefined;
}

const formatBound = (bound: string) => formatQuantity(parseQuantity(bound));
