import type { ResourceType } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import type { LabelSelector } from '#platform/kube/selectors/label-selector';
import { type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';

/** Watches pods without a controller for the owners that may adopt them. */
export function adoptingOwners<T extends KubeObject>(
  type: ResourceType<T>,
  selectorOf: (owner: T) => LabelSelector,
): WatchSource {
  return watchSource(PODS, ({ metadata }, { cache }) => {
    if (metadata.ownerReferences?.some(({ controller }) => controller === true) === true) return [];
    if (metadata.labels === undefined) return [];
    const owners = [...cache(type).inNamespace(metadata.namespace ?? '')];
    return owners.filter((owner) => selectorOf(owner).matches(metadata.labels)).map(keyOf);
  });
}
