import { VM_LABEL } from '#api/launcher';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';

/** Reports whether a claim was created for a VM, which may not reference it anymore. */
export function isMadeFor({ metadata }: PersistentVolumeClaim, vm: KubeObject): boolean {
  const isOwner = metadata.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) === true;
  return isOwner || metadata.labels?.[VM_LABEL] === vm.metadata.name;
}

/**
 * Reports whether a claim belongs to a VM of any API group: created for it, or named in its spec. It serves callers
 * that do not know how a group names its disks.
 */
export function isDiskOf(claim: PersistentVolumeClaim, vm: KubeObject): boolean {
  return isMadeFor(claim, vm) || names(vm['spec'], claim.metadata.name ?? '');
}

function names(value: unknown, name: string): boolean {
  if (typeof value === 'string') return value === name;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => names(each, name));
}
