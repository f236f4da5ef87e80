import type { VirtualMachine } from '../api/kubevirt/virtual-machine.ts';
import { type Condition, standing } from '../machine/condition.ts';
import type { MachineMemory, ObservedMachine, Shutdown } from '../machine/dialect.ts';

/** The condition that remembers how the last instance ended. */
export const LAST_SHUTDOWN = 'LastShutdown';

/** For a time that is missing, which only somebody else's hand can have left out. */
const LONG_AGO = '1970-01-01T00:00:00Z';

/** What statuses of several groups remember in the same fields. */
type Remembering = Pick<NonNullable<VirtualMachine['status']>, 'stateChangeRequests' | 'startFailure' | 'conditions'>;

export function memoryIn(
  status: Remembering | undefined,
): Pick<MachineMemory, 'requests' | 'startFailure' | 'lastShutdown'> {
  const { stateChangeRequests = [], startFailure, conditions = [] } = status ?? {};
  const ended = conditions.find(({ type }) => type === LAST_SHUTDOWN);
  return {
    requests: stateChangeRequests,
    ...(startFailure === undefined
      ? {}
      : {
          startFailure: {
            consecutiveFailCount: startFailure.consecutiveFailCount ?? 0,
            lastFailedVMIUID: startFailure.lastFailedVMIUID ?? '',
            retryAfterTimestamp: startFailure.retryAfterTimestamp ?? LONG_AGO,
          },
        }),
    ...(ended === undefined
      ? {}
      : {
          lastShutdown: {
            reason: ended.reason as Shutdown['reason'],
            message: ended.message ?? '',
            at: ended.lastTransitionTime ?? LONG_AGO,
          },
        }),
  };
}

export function shutdownCondition({ reason, message, at }: Shutdown): Condition {
  return { type: LAST_SHUTDOWN, status: 'True', reason, message, lastTransitionTime: at };
}

/** What went wrong with a start stays told until a start goes well. */
export function failureOf(
  before: readonly Condition[] | undefined,
  { problem, memory }: ObservedMachine,
  now: string,
): Condition | undefined {
  if (problem !== undefined) return standing(before, { type: 'Failure', status: 'True', ...problem }, now);
  return memory.startFailure === undefined ? undefined : before?.find(({ type }) => type === 'Failure');
}
