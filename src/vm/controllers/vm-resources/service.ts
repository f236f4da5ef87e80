import type { NewObject } from '#platform/kube/client';
import type { Service } from '#platform/kube/kinds/core';
import { labelsOf, vmOwnerReference } from './claim.ts';
import type { GroupTexts, OwnerVm } from './group.ts';

/** What Kubernetes allows as the name of a Service: a label that begins with a letter. */
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** The name under which other pods find a machine; undefined where its own cannot be that of a Service. */
export function newService(group: GroupTexts, vm: OwnerVm): NewObject<Service> | undefined {
  const { name, namespace } = vm.metadata;
  if (!NAME.test(name)) return undefined;
  const labels = labelsOf(group, vm);
  return {
    metadata: { name, namespace, labels, ownerReferences: [vmOwnerReference(group, vm)] },
    spec: { clusterIP: 'None', selector: labels },
  };
}
