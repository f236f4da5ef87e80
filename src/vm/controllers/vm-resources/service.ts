import type { NewObject } from '#platform/kube/client';
import type { Service } from '#platform/kube/kinds/core';
import { labelsOf, vmOwnerReference } from './claim.ts';
import type { GroupTexts, OwnerVm } from './group.ts';

/** Valid name of a Service: a label that starts with a letter. */
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Builds the Service by which other pods find a VM. Returns undefined if the VM's name is no valid Service name. */
export function newService(group: GroupTexts, vm: OwnerVm): NewObject<Service> | undefined {
  const { name, namespace } = vm.metadata;
  if (!NAME.test(name)) return undefined;
  const labels = labelsOf(group, vm);
  return {
    metadata: { name, namespace, labels, ownerReferences: [vmOwnerReference(group, vm)] },
    spec: { clusterIP: 'None', selector: labels },
  };
}
