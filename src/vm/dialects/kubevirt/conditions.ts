import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { type Condition, withTransitionTime } from '#vm/engine/condition';
import type { ObservedVm } from '#vm/engine/dialect';
import { failureOf, LAST_SHUTDOWN, shutdownCondition } from '../recorded-state.ts';

/** Conditions of the VM itself, not of its instance. */
const OWN: ReadonlySet<string> = new Set(['Ready', 'Failure', 'RestartRequired', LAST_SHUTDOWN]);

/** Returns the conditions of a VM: its own, and those of its instance unchanged. */
export function conditionsOf(vm: VirtualMachine, observed: ObservedVm, now: string): Condition[] {
  const before = vm.status?.conditions;
  const { instance, recorded, restartRequired } = observed;
  const own: Condition[] = [readyOf(before, instance, now)];
  const failure = failureOf(before, observed, now);
  if (failure !== undefined) own.push(failure);
  if (restartRequired.length > 0) {
    const message = `spec changes require a restart: ${restartRequired.map(pathOf).join(', ')}`;
    const condition = { type: 'RestartRequired', status: 'True', reason: 'RestartRequired', message } as const;
    own.push(withTransitionTime(before, condition, now));
  }
  if (recorded.lastShutdown !== undefined) own.push(shutdownCondition(recorded.lastShutdown));
  return [...own, ...(instance?.status?.conditions ?? []).filter(({ type }) => !OWN.has(type))];
}

const pathOf = (field: string) => `spec.template.${field.startsWith('metadata.') ? '' : 'spec.'}${field}`;

function readyOf(
  before: readonly Condition[] | undefined,
  instance: VirtualMachineInstance | undefined,
  now: string,
): Condition {
  const ready = instance?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready !== undefined) return ready;
  const why =
    instance === undefined
      ? { reason: 'VMINotExists', message: 'VMI does not exist' }
      : { reason: 'VMIConditionMissing', message: 'VMI is missing the Ready condition' };
  return withTransitionTime(before, { type: 'Ready', status: 'False', ...why }, now);
}
