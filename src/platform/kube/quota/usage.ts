import { compare, parseQuantity, type Quantity, quantityOf, value } from '#platform/base/quantity';
import type { Pod, Resources } from '../kinds/pod.ts';
import type { PersistentVolumeClaim } from '../kinds/storage.ts';
import type { KubeObject } from '../kube-object.ts';
import { type Amounts, amountsOf } from '../resources/amounts.ts';
import { podLimits, podRequests } from '../resources/pod-resources.ts';
import { type CountedResource, countName, hasShortName, isNative } from './counted-resource.ts';

const ONE = quantityOf(1);

/** Returns the usage of one object, in the resources that quotas can limit. */
export function usageOf(resource: CountedResource, object: KubeObject, now: number): Amounts {
  const usage: Amounts = new Map([[countName(resource), ONE]]);
  const { group, plural } = resource;
  if (group !== '') return usage;
  if (plural === 'pods') usePod(usage, object as Pod, now);
  if (plural === 'services') useService(usage, object);
  if (plural === 'persistentvolumeclaims') useClaim(usage, object as PersistentVolumeClaim);
  if (hasShortName(resource)) usage.set(plural, ONE);
  return usage;
}

/** Adds the usage of a pod. A pod that has ended, or should have, counts only as an object. */
function usePod(usage: Amounts, pod: Pod, now: number): void {
  const end = pastGraceAt(pod);
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded' || (end !== undefined && now > end)) return;
  usage.set('pods', ONE);
  const options = { status: 'containers' } as const;
  useCompute(usage, podRequests(pod, options), podLimits(pod, options));
}

/** Returns requests and limits under their names in quotas. */
export function computeUsage({ requests, limits }: Resources = {}): Amounts {
  const usage: Amounts = new Map();
  useCompute(usage, amountsOf(requests), amountsOf(limits));
  return usage;
}

function useCompute(usage: Amounts, requests: Amounts, limits: Amounts): void {
  for (const [name, amount] of requests) {
    usage.set(`requests.${name}`, amount);
    if (isNative(name) || name.startsWith('hugepages-')) usage.set(name, amount);
  }
  for (const [name, amount] of limits) if (isNative(name)) usage.set(`limits.${name}`, amount);
}

/**
 * Returns when the grace period of a terminating pod is past. From then on it is not counted, because a lost node
 * cannot end it.
 */
export function pastGraceAt({ metadata }: KubeObject): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return undefined;
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

interface ServiceSpec {
  readonly type?: string;
  readonly ports?: readonly { readonly nodePort?: number }[];
  readonly allocateLoadBalancerNodePorts?: boolean;
}

function useService(usage: Amounts, service: KubeObject): void {
  const { type, ports = [], allocateLoadBalancerNodePorts = true } = (service['spec'] ?? {}) as ServiceSpec;
  const balanced = type === 'LoadBalancer';
  const explicit = ports.filter(({ nodePort = 0 }) => nodePort > 0).length;
  const onNodes = balanced && !allocateLoadBalancerNodePorts ? explicit : ports.length;
  usage.set('services', ONE);
  usage.set('services.nodeports', quantityOf(type === 'NodePort' || balanced ? onNodes : 0));
  usage.set('services.loadbalancers', quantityOf(balanced ? 1 : 0));
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

function useClaim(usage: Amounts, claim: PersistentVolumeClaim): void {
  const storage = storageOf(claim);
  const named = claim.metadata.annotations?.[CLASS_ANNOTATION] ?? claim.spec?.storageClassName ?? '';
  const prefixes = named === '' ? [''] : ['', `${named}.storageclass.storage.k8s.io/`];
  for (const prefix of prefixes) {
    usage.set(`${prefix}persistentvolumeclaims`, ONE);
    if (storage !== undefined) usage.set(`${prefix}requests.storage`, storage);
  }
}

/** Returns the storage of a claim in whole bytes: what it requests, or more while a larger size is allocated. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const requested = spec?.resources?.requests?.['storage'];
  if (requested === undefined) return undefined;
  const request = inWholeBytes(parseQuantity(requested));
  const allocated = parseQuantity(status?.allocatedResources?.['storage'] ?? '0');
  return compare(allocated, request) > 0 ? inWholeBytes(allocated) : request;
}

function inWholeBytes(amount: Quantity): Quantity {
  const whole = quantityOf(value(amount), amount.format);
  return compare(whole, amount) === 0 ? amount : whole;
}
