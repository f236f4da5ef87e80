import type { ResourceType } from '../../../kube/client.ts';
import { RESOURCE_QUOTAS, type ResourceQuota } from '../../../kube/kinds/resource-quota.ts';
import type { KubeObject } from '../../../kube/kube-object.ts';
import { textOf } from '../../../kube/quota/amounts.ts';
import { countedResources, quotaStatus } from '../../../kube/quota/quota-status.ts';
import { type CountedResource, pastGraceAt, usageOf } from '../../../kube/quota/usage.ts';
import type { Change } from '../../../runtime/cache.ts';
import type { Catalog } from '../../../runtime/catalog.ts';
import { type Controller, watched } from '../../../runtime/controller.ts';
import { preferred } from '../../../runtime/discovery.ts';
import { keyOf } from '../../../runtime/key.ts';
import { writeStatus } from '../../../runtime/status.ts';

/** How soon to look again for a kind that a quota names and nobody serves yet. */
const UNKNOWN_MS = 30_000;

/** Counts what the quotas of each namespace limit. Only what some quota counts is followed. */
export function resourceQuotaController(catalog: Catalog): Controller<ResourceQuota> {
  const typeOf = ({ group, plural }: CountedResource): ResourceType | undefined =>
    preferred(catalog.now.resources).find((each) => each.group === group && each.plural === plural);
  return {
    name: 'resource quota',
    for: RESOURCE_QUOTAS,
    async reconcile(quota, { cache, client, clock, follow }) {
      const { namespace = '' } = quota.metadata;
      const counted = countedResources(quota).flatMap((resource) => {
        const type = typeOf(resource);
        return type === undefined ? [] : [{ resource, type }];
      });
      await Promise.all(counted.map(({ type }) => follow(countedObjects(type, () => clock.now()))));
      const now = clock.now();
      const objects = counted.map(({ resource, type }) => [resource, [...cache(type).inNamespace(namespace)]] as const);
      await writeStatus(client, RESOURCE_QUOTAS, quota, quotaStatus(quota, objects, now));
      const unknown = counted.length < countedResources(quota).length;
      const ends = objects.flatMap(([, present]) => present.map(pastGraceAt)).filter((end) => end !== undefined);
      const waits = [...(unknown ? [UNKNOWN_MS] : []), ...ends.map((end) => end - now + 1).filter((wait) => wait > 0)];
      return waits.length === 0 ? undefined : { afterMs: Math.min(...waits) };
    },
  };
}

/** Concerns the quotas of an object's namespace, where the change is one of what it takes up. */
function countedObjects(type: ResourceType, now: () => number) {
  return watched<KubeObject>(type, ({ metadata }, { cache }, change) =>
    isSameUse(type, change, now()) ? [] : [...cache(RESOURCE_QUOTAS).inNamespace(metadata.namespace ?? '')].map(keyOf),
  );
}

function isSameUse(type: ResourceType, { object, old }: Change, now: number): boolean {
  if (old === undefined || object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp) return false;
  const text = (state: KubeObject) => JSON.stringify(textOf(usageOf(type, state, now)));
  return text(object) === text(old);
}
