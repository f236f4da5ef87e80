import { parseQuantity, quantityOf } from '#platform/base/quantity';
import type { Pod } from '../kinds/pod.ts';
import type { PersistentVolumeClaim } from '../kinds/storage.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Amounts } from './amounts.ts';
import { podLimits, podRequests } from './pod-amounts.ts';

/** Resource as named in quotas. */
export interface CountedResource {
  readonly group: string;
  readonly plural: string;
}

/** Resources whose count has a short name beside `count/...`. */
const SHORT = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']);
const ONE = quantityOf(1);
const NATIVE = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Returns the usage of one object, in the resources that quotas can limit. */
export function usageOf({ group, plural }: CountedResource, object: KubeObject, now: number): Amounts {
  const usage: Amounts = new Map([[`count/${plural}${group === '' ? '' : `.${group}`}`, ONE]]);
  if (group !== '') return usage;
  if (plural === 'pods') usePod(usage, object as Pod, now);
  if (plural === 'services') useService(usage, object);
  if (plural === 'persistentvolumeclaims') useClaim(usage, object as PersistentVolumeClaim);
  if (SHORT.has(plural)) usage.set(plural, ONE);
  return usage;
}

function usePod(usage: Amounts, pod: Pod, now: number): void {
  const end = pastGraceAt(pod);
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded' || (end !== undefined && now > end)) return;
  usage.set('pods', ONE);
  for (const [name, amount] of podRequests(pod.spec)) {
    usage.set(`requests.${name}`, amount);
    if (NATIVE.has(name) || name.startsWith('hugepages-')) usage.set(name, amount);
  }
  for (const [name, amount] of podLimits(pod.spec)) if (NATIVE.has(name)) usage.set(`limits.${name}`, amount);
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

function useClaim(usage: Amounts, { metadata, spec }: PersistentVolumeClaim): void {
  const storage = spec.resources?.requests?.['storage'];
  const named = metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
  const prefixes = named === '' ? [''] : ['', `${named}.storageclass.storage.k8s.io/`];
  for (const prefix of prefixes) {
    usage.set(`${prefix}persistentvolumeclaims`, ONE);
    if (storage !== undefined) usage.set(`${prefix}requests.storage`, parseQuantity(storage));
  }
}

/** Returns the resource whose objects count towards a limit, or undefined if no known resource does. */
export function countedBy(limit: string): CountedResource | undefined {
  if (limit.startsWith('count/')) {
    const [plural = '', ...group] = limit.slice('count/'.length).split('.');
    return { group: group.join('.'), plural };
  }
  if (SHORT.has(limit)) return { group: '', plural: limit };
  if (limit === 'services' || limit.startsWith('services.')) return { group: '', plural: 'services' };
  if (/(^|\/)(persistentvolumeclaims|requests\.storage)$/.test(limit)) {
    return { group: '', plural: 'persistentvolumeclaims' };
  }
  const ofPods = limit === 'pods' || NATIVE.has(limit) || /^(requests\.|limits\.|hugepages-)/.test(limit);
  return ofPods ? { group: '', plural: 'pods' } : undefined;
}
