import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { formatDuration } from '#platform/base/duration';
import { timestampNotBefore } from '#platform/base/timestamp';
import type { PowerRequest, RestartPolicy, Restarts, Shutdown } from './dialect.ts';
import { endedAt, failureReason, hasRun, isFinal, isTerminating, ranSince, shutdownOf } from './instance-state.ts';

export interface EndObservation {
  readonly policy: RestartPolicy;
  /** Instance that belongs to the VM. */
  readonly instance: VirtualMachineInstance | undefined;
  /** Pending requests. */
  readonly requests: readonly PowerRequest[];
  /** The spec has changed since the last observation. */
  readonly changed: boolean;
  readonly now: number;
}

/**
 * Decides whether to restart a VM that ended by itself after it had run, and counts each such end once. Requested stops
 * and instances that never ran do not count.
 */
export function restartsAfter(before: Restarts | undefined, seen: EndObservation): Restarts | undefined {
  const { instance, requests, changed } = seen;
  const down = instance === undefined || isFinal(instance);
  // A start request, or a change of a spec that failed, allows a new series of attempts.
  if (down && requests.some(({ action }) => action === 'Start')) return undefined;
  const known = down && changed && before?.gaveUp === 'RestartsExhausted' ? undefined : before;
  if (instance === undefined || !isFinal(instance) || isTerminating(instance) || !hasRun(instance)) return known;
  if (known?.lastInstance === instance.metadata.uid) return known;
  return decideRestart(known, seen, instance, shutdownOf(instance) as Shutdown);
}

function decideRestart(
  before: Restarts | undefined,
  { policy, now }: EndObservation,
  instance: VirtualMachineInstance,
  end: Shutdown,
): Restarts {
  const { total = 0 } = before ?? {};
  const lastInstance = instance.metadata.uid;
  const why = `the VM terminated: ${formatEnd(instance, end)}`;
  const inRow = isSteady(instance, policy) ? 0 : (before?.inRow ?? 0);
  const reason = reasonToStay(policy, end);
  if (reason !== undefined) {
    return { total, inRow, lastInstance, gaveUp: 'NotRestarted', message: `${why}; not restarting: ${reason}` };
  }
  // A lost node is no fault of the VM, and its timeout has passed already.
  if (end.reason === 'NodeLost') {
    const message = `${why}; starting on another node`;
    return { total: total + 1, inRow, lastInstance, retryAfter: timestampNotBefore(now), message };
  }
  if (inRow >= policy.max) {
    const message = `${why}; ${formatHelp(policy.max)}: it stays stopped until it is started or changed`;
    return { total, inRow, lastInstance, gaveUp: 'RestartsExhausted', message };
  }
  const retryAfter = timestampNotBefore(now + policy.delayMs);
  const message = `${why}; restarting in ${formatDuration(policy.delayMs)} (${inRow + 1}/${policy.max})`;
  return { total: total + 1, inRow: inRow + 1, lastInstance, retryAfter, message };
}

function reasonToStay({ when, words }: RestartPolicy, { reason }: Shutdown): string | undefined {
  if (when === 'never') return words;
  return when === 'onFailure' && reason === 'GuestShutdown' ? words : undefined;
}

/** Reports whether the instance ran long enough that earlier failures no longer count. */
function isSteady(instance: VirtualMachineInstance, { windowMs }: RestartPolicy): boolean {
  const [began, ended] = [ranSince(instance), endedAt(instance)];
  return began !== undefined && ended !== undefined && ended - began >= windowMs;
}

function formatEnd(instance: VirtualMachineInstance, { reason, message }: Shutdown): string {
  const { reason: word } = reason === 'Error' ? failureReason(instance) : { reason };
  return message === '' ? word : `${word}, ${message}`;
}

function formatHelp(times: number): string {
  if (times === 0) return 'no restarts are allowed';
  return times === 1 ? 'the only allowed restart failed' : `${times} consecutive restarts failed`;
}
