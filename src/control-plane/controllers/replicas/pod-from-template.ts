import type { NewObject } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodTemplate } from '#platform/kube/kinds/workloads';
import type { KubeMeta, KubeOwnerReference } from '#platform/kube/kube-object';

/** Builds a pod from a template. */
export function podFromTemplate(
  { metadata = {}, spec }: PodTemplate,
  owner: { readonly metadata: KubeMeta },
  ownerRef: KubeOwnerReference,
): NewObject<Pod> {
  const { labels, annotations, finalizers } = metadata;
  return {
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? '',
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [ownerRef],
    },
    spec,
  };
}
