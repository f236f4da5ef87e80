import type { VirtualMachine } from '#api/novacron/virtual-machine';
import type { ObservedVm } from '#vm/engine/dialect';

type Migration = NonNullable<NonNullable<VirtualMachine['status']>['migration']>;

/** Returns the current or last migration of a VM. It is retained after the instance has ended. */
export function migrationOf(
  { status }: VirtualMachine,
  { instance, now }: Pick<ObservedVm, 'instance' | 'now'>,
): { readonly migration?: Migration } {
  const state = instance?.status?.migrationState;
  if (state?.targetNode === undefined) {
    return status?.migration === undefined ? {} : { migration: status.migration };
  }
  const { sourceNode, targetNode, startTimestamp, endTimestamp, completed, failed, failureReason } = state;
  const isOver = completed === true || failed === true;
  const begun = startTimestamp !== undefined && startTimestamp !== null;
  return {
    migration: {
      ...(sourceNode === undefined ? {} : { sourceNode }),
      targetNode,
      ...(begun ? { startTime: startTimestamp } : {}),
      ...(endTimestamp === undefined || endTimestamp === null ? {} : { endTime: endTimestamp }),
      progress: progressOf(state, now),
      state: isOver ? (failed === true ? 'Failed' : 'Succeeded') : begun ? 'Running' : 'Preparing',
      ...(failed === true ? { message: failureReason ?? 'the migration failed' } : {}),
    },
  };
}

type State = NonNullable<NonNullable<NonNullable<ObservedVm['instance']>['status']>['migrationState']>;

/** Step of the reported progress in percent, since continuous changes are not worth a write. */
const STEP = 20;

function progressOf({ startTimestamp, expectedEndTimestamp, completed, failed }: State, now: number): number {
  if (completed === true && failed !== true) return 100;
  const [begun, ends] = [startTimestamp, expectedEndTimestamp].map((time) => Date.parse(time ?? ''));
  if (begun === undefined || ends === undefined || !(ends > begun)) return 0;
  const steps = Math.floor((((now - begun) / (ends - begun)) * 100) / STEP);
  return Math.max(0, Math.min(steps, 100 / STEP - 1)) * STEP;
}
