import type { NovacronVm } from '#api/novacron/resources';
import { byVmAge, deletionCost, isReady } from './pool-vm.ts';

/**
 * Picks the VMs to delete, the least useful first: those that are not ready, those of an old revision, those with the
 * lowest deletion cost, and of equal ones the youngest. The order is the same in every run, unlike that of KubeVirt's
 * pools.
 */
export function vmsToDelete(
  vms: readonly NovacronVm[],
  count: number,
  isStale: (vm: NovacronVm) => boolean,
): NovacronVm[] {
  if (count <= 0) return [];
  const order = (a: NovacronVm, b: NovacronVm) =>
    Number(isReady(a)) - Number(isReady(b)) ||
    Number(isStale(b)) - Number(isStale(a)) ||
    deletionCost(a) - deletionCost(b) ||
    byVmAge(b, a);
  return vms.toSorted(order).slice(0, count);
}
