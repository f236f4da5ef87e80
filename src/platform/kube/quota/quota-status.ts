import { quantityOf } from '#platform/base/quantity';
import type { ResourceQuota } from '../kinds/resource-quota.ts';
import type { KubeObject } from '../kube-object.ts';
import { type Amounts, addTo, formatAmounts } from '../resources/amounts.ts';
import { type CountedResource, countedBy, countName } from './counted-resource.ts';
import { canApplyTo, isInScope } from './quota-scope.ts';
import { usageOf } from './usage.ts';

type Status = NonNullable<ResourceQuota['status']>;

/** Returns the resources whose objects a quota counts, each once. */
export function countedResources({ spec = {} }: ResourceQuota): CountedResource[] {
  const found = new Map<string, CountedResource>();
  for (const limit of Object.keys(spec.hard ?? {})) {
    const resource = countedBy(limit);
    if (resource !== undefined && canApplyTo(spec, resource)) found.set(countName(resource), resource);
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
      if (isInScope(spec, resource, object)) addTo(sum, usageOf(resource, object, now));
    }
  }
  const { hard = {} } = spec;
  const used: Amounts = new Map(Object.keys(hard).map((name) => [name, sum.get(name) ?? quantityOf(0)]));
  return { hard, used: formatAmounts(used) };
}
