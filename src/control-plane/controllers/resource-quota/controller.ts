import type { Clock } from '#platform/base/clock';
import { jsonEqual } from '#platform/base/json-equal';
import type { ResourceType } from '#platform/kube/client';
import { RESOURCE_QUOTAS, type ResourceQuota } from '#platform/kube/kinds/resource-quota';
import type { KubeObject } from '#platform/kube/kube-object';
import type { CountedResource } from '#platform/kube/quota/counted-resource';
import { scopeFacts } from '#platform/kube/quota/quota-scope';
import { countedResources, quotaStatus } from '#platform/kube/quota/quota-status';
import { pastGraceAt, usageOf } from '#platform/kube/quota/usage';
import { formatAmounts } from '#platform/kube/resources/amounts';
import type { Change } from '#platform/runtime/cache';
import { type Controller, watchSource } from '#platform/runtime/controller';
import { preferredVersions } from '#platform/runtime/discovery';
import type { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';

/** Requeue delay for a quota that names a kind not served yet. */
const UNKNOWN_MS = 30_000;

/** Interval of recounting quotas without an event. */
const RECOUNT_MS = 5 * 60_000;

/**
 * Counts the usage of the quotas of each namespace, and watches only the resources that some quota counts. A recount
 * could undo a charge of admission for an object that is not stored yet, so it waits for a deletion, a changed limit,
 * or the interval.
 */
export function resourceQuotaController(catalog: DiscoveryCache): Controller<ResourceQuota> {
  const typeOf = ({ group, plural }: CountedResource): ResourceType | undefined =>
    preferredVersions(catalog.now.resources).find((each) => each.group === group && each.plural === plural);
  /** Time at which each quota is due. A quota without an entry is due now. */
  const due = new Map<string, number>();
  return {
    name: 'resource quota',
    for: RESOURCE_QUOTAS,
    async reconcile(quota, { cache, client, clock, follow }) {
      const key = keyOf(quota);
      const { namespace = '' } = quota.metadata;
      const began = clock.now();
      const at = due.get(key) ?? began;
      if (at > began && jsonEqual(quota.spec?.hard, quota.status?.hard)) return { requeueAfterMs: at - began };
      const counted = countedResources(quota).flatMap((resource) => {
        const type = typeOf(resource);
        return type === undefined ? [] : [{ resource, type }];
      });
      await Promise.all(counted.map(({ type }) => follow(countedObjects(type, clock, due))));
      const now = clock.now();
      const objects = counted.map(({ resource, type }) => [resource, [...cache(type).inNamespace(namespace)]] as const);
      const unknown = counted.length < countedResources(quota).length;
      const ends = objects.flatMap(([, present]) => present.map(pastGraceAt)).filter((end) => end !== undefined);
      const waits = [...(unknown ? [UNKNOWN_MS] : []), ...ends.map((end) => end - now + 1).filter((wait) => wait > 0)];
      const requeueAfterMs = Math.min(RECOUNT_MS, ...waits);
      // The time is set before the write, because deletions in the meantime make the quota due again.
      due.set(key, now + requeueAfterMs);
      try {
        await writeStatus(client, RESOURCE_QUOTAS, quota, quotaStatus(quota, objects, now));
      } catch (error) {
        due.delete(key);
        throw error;
      }
      return { requeueAfterMs };
    },
    forget: (key) => void due.delete(key),
  };
}

/** Makes the quotas of a namespace due if the usage of one of its objects changed or ended. */
function countedObjects(type: ResourceType, clock: Clock, due: Map<string, number>) {
  return watchSource<KubeObject>(type, ({ metadata }, { cache }, change) => {
    if (change.type === 'added' || (change.type === 'updated' && isSameUse(type, change, clock.now()))) return [];
    const keys = [...cache(RESOURCE_QUOTAS).inNamespace(metadata.namespace ?? '')].map(keyOf);
    for (const key of keys) due.delete(key);
    return keys;
  });
}

function isSameUse(type: ResourceType, { object, old }: Change, now: number): boolean {
  if (old === undefined || object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp) return false;
  const text = (state: KubeObject) =>
    JSON.stringify([formatAmounts(usageOf(type, state, now)), scopeFacts(type, state)]);
  return text(object) === text(old);
}
