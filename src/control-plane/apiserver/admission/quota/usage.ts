import { parseQuantity, quantityOf } from '#platform/base/quantity';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Pod } from '../../kinds/pod/pod-spec.ts';
import { needsNodePorts, type ServiceSpec } from '../../kinds/service/service-spec.ts';
import type { Resource } from '../../resource.ts';
import { type Amounts, podLimits, podRequests } from '../pod-resources.ts';

const ONE = quantityOf(1);

/** Resources that quotas can also count by their plain name. */
const BARE = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas', 'services']);
const LIMITED = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Returns the name under which quotas count the objects of a resource. */
export function countName({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return `count/${plural}${group === '' ? '' : `.${group}`}`;
}

/** Returns the amounts that an object uses of the resources that a quota can limit. */
export function usageOf(resource: Pick<Resource, 'group' | 'plural'>, object: KubeObject): Amounts {
  const usage: Amounts = new Map([[countName(resource), ONE]]);
  if (resource.group !== '') return usage;
  if (BARE.has(resource.plural)) usage.set(resource.plural, ONE);
  if (resource.plural === 'pods') addPod(usage, object as Pod);
  if (resource.plural === 'persistentvolumeclaims') addClaim(usage, object);
  if (resource.plural === 'services') addService(usage, object['spec'] ?? {});
  return usage;
}

/** Adds the usage of a pod. A finished pod counts only as an object. */
function addPod(usage: Amounts, pod: Pod): void {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return;
  usage.set('pods', ONE);
  for (const [name, amount] of computeUsage(podRequests(pod), podLimits(pod))) usage.set(name, amount);
}

/** Returns requests and limits under their names in quotas. */
export function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage: Amounts = new Map();
  for (const [name, amount] of requests) {
    usage.set(`requests.${name}`, amount);
    if (LIMITED.has(name) || name.startsWith('hugepages-')) usage.set(name, amount);
  }
  for (const [name, amount] of limits) if (LIMITED.has(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

const CLASS = 'volume.beta.kubernetes.io/storage-class';

function addClaim(usage: Amounts, claim: KubeObject): void {
  const { storageClassName, resources } = (claim['spec'] ?? {}) as {
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  const storageClass = claim.metadata.annotations?.[CLASS] ?? storageClassName ?? '';
  const storage = resources?.requests?.['storage'];
  const prefixes = storageClass === '' ? [''] : ['', `${storageClass}.storageclass.storage.k8s.io/`];
  for (const prefix of prefixes) {
    usage.set(`${prefix}persistentvolumeclaims`, ONE);
    if (storage !== undefined) usage.set(`${prefix}requests.storage`, parseQuantity(storage));
  }
}

function addService(usage: Amounts, spec: ServiceSpec): void {
  const ports = spec.ports ?? [];
  const open = needsNodePorts(spec) ? ports.length : ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
  usage.set('services.nodeports', quantityOf(open));
  usage.set('services.loadbalancers', quantityOf(spec.type === 'LoadBalancer' ? 1 : 0));
}
