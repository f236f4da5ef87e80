import { SERVICES, type Service } from '#platform/kube/kinds/core';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { labelSelectorOfSet } from '#platform/kube/selectors/label-selector';
import { type Context, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { isSelecting } from './service-pods.ts';

/** Watches pods for the Services that select them. */
export const servicesOfPods = watchSource(PODS, ({ metadata }, { cache }) =>
  [...cache(SERVICES).inNamespace(metadata.namespace ?? '')]
    .filter((service) => isSelecting(service) && labelSelectorOfSet(service.spec?.selector).matches(metadata.labels))
    .map(keyOf),
);

/** Returns the pods that a Service selects, by name. */
export function selectedPods({ metadata, spec }: Service, { cache }: Context): Pod[] {
  const selector = labelSelectorOfSet(spec?.selector);
  const nameOf = (pod: Pod) => pod.metadata.name ?? '';
  return [...cache(PODS).inNamespace(metadata.namespace ?? '')]
    .filter((pod) => selector.matches(pod.metadata.labels))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
