import type { NovacronVm } from '#api/novacron/resources';
import type { PoolLimits } from './limits.ts';
import { byVmAge, isPoolVmActive, isReady, readySince, revisionOf } from './pool-vm.ts';
import { vmsToDelete } from './scale-in.ts';

export interface RolloutInput {
  /** VMs of the pool, including terminating ones. */
  readonly vms: readonly NovacronVm[];
  readonly desired: number;
  readonly limits: PoolLimits;
  /** Revision of the present template. */
  readonly update: string;
  /** Rolled-out revision, from which VMs below the partition are made. */
  readonly current: string;
  readonly paused: boolean;
  readonly minReadyMs: number;
  readonly now: number;
}

export interface Rollout {
  /** Number of VMs to create from each revision. */
  readonly create: readonly { readonly revision: string; readonly count: number }[];
  readonly delete: readonly NovacronVm[];
  /** VMs that are to be replaced. */
  readonly stale: readonly NovacronVm[];
  readonly available: number;
  /** Time until another VM counts as available, if one is ready but not for long enough. */
  readonly againMs?: number;
}

/** Plans the next step to the desired number of VMs with the desired templates. Paused pools are only scaled. */
export function planRollout(input: RolloutInput): Rollout {
  const { vms, desired, limits, update, paused } = input;
  const active = vms.filter(isPoolVmActive);
  const old = active.filter((vm) => revisionOf(vm) !== update).toSorted(byVmAge);
  const stale = paused ? [] : old.slice(limits.partition);
  const { isAvailable, againMs } = availability(active, input);
  const found = {
    stale,
    available: active.filter(isAvailable).length,
    ...(againMs === undefined ? {} : { againMs }),
  };
  if (limits.recreate && stale.length > 0) return { ...found, create: [], delete: stale };
  // With Recreate, no VM of the new template exists beside one of the old.
  const waits = limits.recreate && !paused && vms.some((vm) => !isPoolVmActive(vm) && revisionOf(vm) !== update);
  const most = desired + Math.min(limits.surge, stale.length);
  const replaced = new Set(stale);
  const surplus = new Set(vmsToDelete(active, active.length - most, (vm) => replaced.has(vm)));
  const left = active.filter((vm) => !surplus.has(vm));
  const missing = waits ? 0 : Math.max(0, most - left.length);
  return {
    ...found,
    create: missing === 0 ? [] : revisionsOfNew(input, missing, old.length - stale.length),
    delete: [...surplus, ...vmsToReplace(left, replaced, isAvailable, input)],
  };
}

function availability(active: readonly NovacronVm[], { minReadyMs, now }: RolloutInput) {
  const isAvailable = (vm: NovacronVm) => {
    const since = readySince(vm);
    return since !== undefined && since + minReadyMs <= now;
  };
  const waiting = active
    .filter((vm) => isReady(vm) && !isAvailable(vm))
    .map((vm) => (readySince(vm) ?? 0) + minReadyMs);
  return { isAvailable, againMs: waiting.length === 0 ? undefined : Math.max(1, Math.min(...waiting) - now) };
}

/** New VMs first fill the partition, which keeps the old template, and then have the new one. */
function revisionsOfNew({ update, current, paused, limits }: RolloutInput, missing: number, kept: number) {
  if (update === current) return [{ revision: update, count: missing }];
  const former = paused ? missing : Math.min(missing, Math.max(0, limits.partition - kept));
  return [
    { revision: current, count: former },
    { revision: update, count: missing - former },
  ].filter(({ count }) => count > 0);
}

/**
 * Picks the VMs to replace now. VMs that are not available can go as long as enough others exist; available ones only
 * while more are available than must be.
 */
function vmsToReplace(
  left: readonly NovacronVm[],
  stale: ReadonlySet<NovacronVm>,
  isAvailable: (vm: NovacronVm) => boolean,
  { desired, limits }: RolloutInput,
): NovacronVm[] {
  const remaining = left.filter((vm) => stale.has(vm));
  if (remaining.length === 0) return [];
  const least = desired - limits.unavailable;
  const unavailableNew = left.filter((vm) => !stale.has(vm) && !isAvailable(vm)).length;
  const spare = Math.max(0, left.length - least - unavailableNew);
  const broken = remaining.filter((vm) => !isAvailable(vm)).slice(0, spare);
  const healthy = remaining.filter(isAvailable);
  const removable = Math.min(spare - broken.length, left.filter(isAvailable).length - least);
  return [...broken, ...vmsToDelete(healthy, Math.max(0, removable), () => true)];
}
