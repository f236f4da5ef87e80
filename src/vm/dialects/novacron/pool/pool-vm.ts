import { DELETION_COST_ANNOTATION } from '#api/novacron/pool-words';
import type { NovacronVm } from '#api/novacron/resources';
import { REVISION_HASH } from '#platform/runtime/revisions/revision-history';

/** Facts about the VMs of a pool. */

export const isPoolVmActive = ({ metadata }: NovacronVm): boolean => metadata.deletionTimestamp === undefined;

const readyCondition = ({ status }: NovacronVm) => status?.conditions?.find(({ type }) => type === 'Ready');

export const isReady = (vm: NovacronVm): boolean => isPoolVmActive(vm) && readyCondition(vm)?.status === 'True';

/** Returns when a VM became ready, in milliseconds since the Unix epoch, or undefined if it is not. */
export function readySince(vm: NovacronVm): number | undefined {
  return isReady(vm) ? Date.parse(readyCondition(vm)?.lastTransitionTime ?? '') || 0 : undefined;
}

export const createdAt = ({ metadata }: NovacronVm): number => Date.parse(metadata.creationTimestamp ?? '') || 0;

/** Returns the revision that a VM was made from, or undefined for one that was adopted. */
export const revisionOf = ({ metadata }: NovacronVm): string | undefined => metadata.labels?.[REVISION_HASH];

/** Returns how much a user wants to keep a VM. Text that is no number counts as 0, as for pods. */
export function deletionCost({ metadata }: NovacronVm): number {
  const cost = metadata.annotations?.[DELETION_COST_ANNOTATION] ?? '';
  return /^(0|-?[1-9][0-9]{0,9})$/.test(cost) ? Number(cost) : 0;
}

/** Orders VMs from the oldest to the youngest. */
export function byVmAge(a: NovacronVm, b: NovacronVm): number {
  return createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}
