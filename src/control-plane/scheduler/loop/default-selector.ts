import { SERVICES, type Service } from '#platform/kube/kinds/core';
import { REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '#platform/kube/kinds/workloads';
import type { LabelSelectorSpec } from '#platform/kube/selectors/label-selector';
import { labelSelectorOfSet } from '#platform/kube/selectors/label-selector';
import type { Cache } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';
import { keyIn } from '#platform/runtime/key';
import type { PodInfo } from '../pod/pod-info.ts';
import { type NamedSelector, selectorOf } from '../pod/selector-cache.ts';

/** Returns a function that selects the pods that do the same work as a pod, by its Services and its owner. */
export function createDefaultSelector(informers: Informers): (pod: PodInfo) => NamedSelector | undefined {
  const services = informers.of(SERVICES).cache;
  const owners = new Map<string, (key: string) => LabelSelectorSpec | undefined>([
    [
      'v1/ReplicationController',
      selectorIn(informers.of(REPLICATION_CONTROLLERS).cache, (spec) => ({
        matchLabels: spec as Record<string, string>,
      })),
    ],
    ['apps/v1/ReplicaSet', selectorIn(informers.of(REPLICA_SETS).cache, (spec) => spec as LabelSelectorSpec)],
    ['apps/v1/StatefulSet', selectorIn(informers.of(STATEFUL_SETS).cache, (spec) => spec as LabelSelectorSpec)],
  ]);
  return ({ pod, namespace, labels }) => {
    const matchLabels: Record<string, string> = {};
    for (const service of services.inNamespace(namespace)) {
      if (selects(service, labels)) Object.assign(matchLabels, service.spec?.selector);
    }
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const selector = owner && owners.get(`${owner.apiVersion}/${owner.kind}`)?.(keyIn(namespace, owner.name));
    Object.assign(matchLabels, selector?.matchLabels);
    const matchExpressions = selector?.matchExpressions ?? [];
    if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined;
    return selectorOf({ matchLabels, matchExpressions });
  };
}

type Selecting = { readonly spec?: { readonly selector?: unknown } };

function selectorIn(cache: Cache, read: (selector: unknown) => LabelSelectorSpec) {
  return (key: string): LabelSelectorSpec | undefined => {
    const selector = (cache.get(key) as Selecting | undefined)?.spec?.selector;
    return selector === undefined ? undefined : read(selector);
  };
}

function selects({ spec }: Service, labels: PodInfo['labels']): boolean {
  const selector = spec?.selector;
  return selector !== undefined && Object.keys(selector).length > 0 && labelSelectorOfSet(selector).matches(labels);
}
