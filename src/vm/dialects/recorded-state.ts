import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import { type Condition, withTransitionTime } from '#vm/engine/condition';
import type { Identity, ObservedVm, RecordedState, Shutdown } from '#vm/engine/dialect';
import { startedAt } from '#vm/engine/instance-state';

/** Condition that records how the last instance ended. */
export const LAST_SHUTDOWN = 'LastShutdown';

/** Replaces a missing time, which only a foreign write can have left out. */
const LONG_AGO = '1970-01-01T00:00:00Z';

/** Recorded fields that the statuses of several groups share. */
type Remembering = Pick<NonNullable<VirtualMachine['status']>, 'stateChangeRequests' | 'startFailure' | 'conditions'>;

/** Parses what `recordedStatus` wrote. */
export function parseRecordedState(
  status: Remembering | undefined,
): Pick<RecordedState, 'requests' | 'startFailure' | 'lastShutdown'> {
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

/** Returns the recorded fields, which the next observation of a VM starts from. */
export function recordedStatus({
  requests,
  startFailure,
}: RecordedState): Pick<Remembering, 'stateChangeRequests' | 'startFailure'> {
  return {
    ...(requests.length === 0 ? {} : { stateChangeRequests: [...requests] }),
    ...(startFailure === undefined ? {} : { startFailure }),
  };
}

interface StatusInterface {
  readonly name: string;
  readonly mac?: string;
  readonly ipAddress?: string;
}

/** Parses what `interfacesStatus` wrote. */
export function identityIn(interfaces: readonly StatusInterface[] = []): Identity {
  return Object.fromEntries(
    interfaces.map(({ name, mac = '', ipAddress }) => [
      name,
      { mac, ...(ipAddress === undefined ? {} : { ip: ipAddress }) },
    ]),
  );
}

/** Returns the retained interfaces of a VM for its status. */
export function interfacesStatus(identity: Identity): { readonly interfaces?: StatusInterface[] } {
  const interfaces = Object.entries(identity).map(([name, { mac, ip }]) => ({
    name,
    mac,
    ...(ip === undefined ? {} : { ipAddress: ip }),
  }));
  return interfaces.length === 0 ? {} : { interfaces };
}

export function shutdownCondition({ reason, message, at }: Shutdown): Condition {
  return { type: LAST_SHUTDOWN, status: 'True', reason, message, lastTransitionTime: at };
}

/** Returns the Failure condition, which stays until a start succeeds. */
export function failureOf(
  before: readonly Condition[] | undefined,
  { problem, recorded, instance, now: at }: ObservedVm,
  now: string,
): Condition | undefined {
  if (problem !== undefined) return withTransitionTime(before, { type: 'Failure', status: 'True', ...problem }, now);
  const started = instance?.status?.phase === 'Running' && startedAt(instance) <= at;
  return recorded.startFailure === undefined || started ? undefined : before?.find(({ type }) => type === 'Failure');
}
