import type { NovacronVm } from '#api/novacron/resources';
import { STEP_MS } from './pool-history.ts';
import { createdAt, readySince } from './pool-vm.ts';

/** Longest time from creation to readiness that is plausible. A VM that was restarted later seems to have taken longer. */
const MAX_START_MS = 30 * 60_000;

/**
 * Returns how many steps ahead a forecast must look: until a VM that is created now is ready, as nine of ten were, and
 * one step more.
 */
export function leadSteps(vms: readonly NovacronVm[]): number {
  const starts = vms
    .map((vm) => (readySince(vm) ?? Number.POSITIVE_INFINITY) - createdAt(vm))
    .filter((ms) => ms >= 0 && ms <= MAX_START_MS)
    .toSorted((a, b) => a - b);
  const typical = starts[Math.floor(0.9 * (starts.length - 1))] ?? 0;
  return Math.ceil(typical / STEP_MS) + 1;
}
