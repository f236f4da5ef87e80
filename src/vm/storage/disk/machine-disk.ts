import { VM_LABEL } from '#api/launcher';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';

/** Whether a claim was made for a machine, which may not name it any more. */
export function isMadeFor({ metadata }: PersistentVolumeClaim, vm: KubeObject): boolean {
  const isOwner = metadata.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) === true;
  return isOwner || metadata.labels?.[VM_LABEL] === vm.metadata.name;
}

/**
 * Whether a claim is one of a machine of any group: made for it, or named by its spec. For those who do not know how the
 * disks of a group are called.
 */
export function isDiskOf(claim: PersistentVolumeClaim, vm: KubeObject): boolean {
  return isMadeFor(claim, vm) || names(vm['spec'], claim.metadata.name ?? '');
}

function names(value: unknown, name: string): boolean {
  if (typeof value === 'string') return value === name;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => names(each, name));
}
