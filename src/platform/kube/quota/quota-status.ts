import { quantityOf } from '#platform/base/quantity';
import type { Pod } from '../kinds/pod.ts';
import type { ResourceQuota } from '../kinds/resource-quota.ts';
import type { KubeObject } from '../kube-object.ts';
import { type Amounts, addTo, formatAmounts } from './amounts.ts';
import { isInScope, isScoped } from './quota-scope.ts';
import { type CountedResource, countedBy, usageOf } from './usage.ts';

type Status = NonNullable<ResourceQuota['status']>;

/** Returns the resources whose objects a quota counts, each once. */
export function countedResources({ spec = {} }: ResourceQuota): CountedResource[] {
  const found = new Map<string, CountedResource>();
  for (const limit of Object.keys(spec.hard ?? {})) {
    const resource = countedBy(limit);
    if (resource !== undefined && (isPods(resource) || !isScoped(spec))) {
      found.set(`${resource.group}/${resource.plural}`, resource);
    }
  }
  return [...found.values()];
}

/** Computes the usage of the quota's limits by the objects of a namespace. */
export function quotaStatus(
  { spec = {} }: ResourceQuota,
  objects: Iterable<readonly [CountedResource, Iterable<KubeObject>]>,
  now: number,
): Status {
  const sum: Amounts = new Map();
  for (const [resource, present] of objects) {
    for (const object of present) {
      if (isPods(resource) && !isInScope(spec, object as Pod)) continue;
      addTo(sum, usageOf(resource, object, now));
    }
  }
  const { hard = {} } = spec;
  const used: Amounts = new Map(Object.keys(hard).map((name) => [name, sum.get(name) ?? quantityOf(0)]));
  return { hard, used: formatAmounts(used) };
}

const isPods = ({ group, plural }: CountedResource) => group === '' && plural === 'pods';
