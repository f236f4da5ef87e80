import type { NewObject } from '#platform/kube/client';
import type { Service } from '#platform/kube/kinds/core';
import { labelsOf, vmOwnerReference } from './claim.ts';
import type { GroupTexts, OwnerVm, ServicePort } from './group.ts';

/** Valid name of a Service: a label that starts with a letter. */
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Builds the Service by which other pods find a VM. Returns undefined if the VM's name is no valid Service name. */
export function newService(
  group: GroupTexts,
  vm: OwnerVm,
  ports: readonly ServicePort[] = [],
): NewObject<Service> | undefined {
  const { name, namespace } = vm.metadata;
  if (!NAME.test(name)) return undefined;
  const labels = labelsOf(group, vm);
  return {
    metadata: { name, namespace, labels, ownerReferences: [vmOwnerReference(group, vm)] },
    spec: { clusterIP: 'None', selector: labels, ...(ports.length === 0 ? {} : { ports }) },
  };
}

/** Reports whether a Service has other ports than it should. Fields that Kubernetes adds to a port do not matter. */
export function hasOtherPorts({ spec }: Service, ports: readonly ServicePort[]): boolean {
  const found = (spec?.['ports'] ?? []) as readonly ServicePort[];
  const textOf = ({ name, port, protocol }: ServicePort) => `${name} ${port}/${protocol}`;
  return found.map(textOf).join() !== ports.map(textOf).join();
}
