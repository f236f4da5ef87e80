import type { NewObject } from '../../../kube/client.ts';
import type { Pod } from '../../../kube/kinds/pod.ts';
import type { PodTemplate } from '../../../kube/kinds/workloads.ts';
import type { KubeMeta, KubeOwnerReference } from '../../../kube/kube-object.ts';

/** A pod that is yet to be made, after a template. */
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
