import type { VirtualMachine } from '../../api/kubevirt/virtual-machine.ts';
import type { VirtualMachineInstance } from '../../api/kubevirt/virtual-machine-instance.ts';
import { type Condition, standing } from '../../machine/condition.ts';
import type { ObservedMachine } from '../../machine/dialect.ts';

export const LAST_SHUTDOWN = 'LastShutdown';

/** Those that speak of the machine, not of its instance. */
const OWN: ReadonlySet<string> = new Set(['Ready', 'Failure', 'RestartRequired', LAST_SHUTDOWN]);

/** The conditions of a machine: its own, and those of its instance as they are. */
export function conditionsOf(vm: VirtualMachine, observed: ObservedMachine, now: string): Condition[] {
  const before = vm.status?.conditions;
  const { instance, memory, restartRequired } = observed;
  const own: Condition[] = [readyOf(before, instance, now)];
  const failure = failureOf(before, observed, now);
  if (failure !== undefined) own.push(failure);
  if (restartRequired.length > 0) {
    const message = `changed, and not in effect before the next start: ${restartRequired.map(pathOf).join(', ')}`;
    const condition = { type: 'RestartRequired', status: 'True', reason: 'RestartRequired', message } as const;
    own.push(standing(before, condition, now));
  }
  if (memory.lastShutdown !== undefined) {
    const { reason, message, at } = memory.lastShutdown;
    own.push({ type: LAST_SHUTDOWN, status: 'True', reason, message, lastTransitionTime: at });
  }
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
  return standing(before, { type: 'Ready', status: 'False', ...why }, now);
}

/** What went wrong with a start stays told until a start goes well. */
function failureOf(
  before: readonly Condition[] | undefined,
  { problem, memory }: ObservedMachine,
  now: string,
): Condition | undefined {
  if (problem !== undefined) return standing(before, { type: 'Failure', status: 'True', ...problem }, now);
  return memory.startFailure === undefined ? undefined : before?.find(({ type }) => type === 'Failure');
}
