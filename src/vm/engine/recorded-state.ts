import { GENERATION_ANNOTATION } from '#api/instance-request';
import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { jsonEqual } from '#platform/base/json-equal';
import type { Random } from '#platform/base/random';
import { timestampNotBefore } from '#platform/base/timestamp';
import { startBackOff } from './back-off.ts';
import type { PowerRequest, RecordedState, RestartPolicy, Shutdown, StartFailure } from './dialect.ts';
import { endedAt, hasRun, isFinal, isTerminating, shutdownOf, startedAt, steadyAt } from './instance-state.ts';
import { restartsAfter } from './restarts.ts';

export interface StateObservation {
  readonly generation: number;
  readonly runStrategy: RunStrategy;
  /** Restart policy for a VM that ended by itself. Defaults to the behavior of the run strategy. */
  readonly restarts?: RestartPolicy | undefined;
  /** Instance that belongs to the VM. */
  readonly instance: VirtualMachineInstance | undefined;
  readonly now: number;
  readonly random: Random;
}

/** Run strategies under which a failed start is retried or at least reported. */
const COUNTS_FAILURES: ReadonlySet<RunStrategy> = new Set(['Always', 'RerunOnFailure', 'Once']);

/** Returns the state to record after an observation of the instance. Idempotent for the same observation. */
export function nextRecordedState(before: RecordedState, seen: StateObservation): RecordedState {
  const { runStrategy, instance, generation } = seen;
  const shutdown = instance === undefined ? undefined : shutdownOf(instance);
  const lastShutdown = shutdown ?? before.lastShutdown;
  const startFailure = startFailureAfter(before.startFailure, shutdown, seen);
  const requests = requestsAfter(before.requests, runStrategy, instance);
  const changed = before.generation !== undefined && before.generation !== generation;
  const restarts =
    seen.restarts === undefined || runStrategy === 'Halted'
      ? undefined
      : restartsAfter(before.restarts, { policy: seen.restarts, instance, requests, changed, now: seen.now });
  return {
    requests,
    identity: before.identity,
    generation,
    ...recordedStrategy(before, seen),
    ...(lastShutdown === undefined ? {} : { lastShutdown }),
    ...(startFailure === undefined ? {} : { startFailure }),
    ...(restarts === undefined ? {} : { restarts }),
  };
}

/**
 * Returns the run strategy to record. RerunOnFailure starts a VM once, so it is recorded with the instance that it
 * starts or takes over, not with one that another strategy has ended.
 */
function recordedStrategy(
  before: RecordedState,
  { runStrategy, instance, generation }: StateObservation,
): Pick<RecordedState, 'runStrategy'> {
  const ends = instance !== undefined && isTerminating(instance);
  const isOwn = ends && instance.metadata.annotations?.[GENERATION_ANNOTATION] === String(generation);
  if (instance !== undefined && (!ends || isOwn)) return { runStrategy };
  if (before.runStrategy === undefined) return {};
  return { runStrategy: runStrategy === 'RerunOnFailure' ? before.runStrategy : runStrategy };
}

/** Reports whether the status already holds everything that must outlive the instance. */
export function isRecorded(recorded: RecordedState, stored: RecordedState): boolean {
  const lasting = ({ requests, identity, startFailure, lastShutdown, restarts, runStrategy }: RecordedState) => [
    requests,
    identity,
    startFailure,
    lastShutdown,
    restarts,
    // The only strategy that starts a VM depending on the recorded one.
    runStrategy === 'RerunOnFailure',
  ];
  return jsonEqual(lasting(recorded), lasting(stored));
}

/** Drops completed requests. A failure under RerunOnFailure adds a request for the next start. */
function requestsAfter(
  before: readonly PowerRequest[],
  strategy: RunStrategy,
  instance: VirtualMachineInstance | undefined,
): readonly PowerRequest[] {
  const done = before.findIndex((request) => !isDone(request, strategy, instance));
  const requests = before.slice(done === -1 ? before.length : done);
  const again = strategy === 'RerunOnFailure' && instance?.status?.phase === 'Failed' && !isTerminating(instance);
  if (!again || requests.length > 0) return requests;
  return [{ action: 'Start' }];
}

function isDone(
  { action, uid }: PowerRequest,
  strategy: RunStrategy,
  instance: VirtualMachineInstance | undefined,
): boolean {
  if (action === 'Stop') return instance === undefined || uid !== instance.metadata.uid;
  if (instance === undefined || isTerminating(instance)) return false;
  // This failure caused the request.
  return !(strategy === 'RerunOnFailure' && instance.status?.phase === 'Failed');
}

/** A requested stop or a lost node is not a failure of the VM. */
function neverRan(shutdown: Shutdown | undefined): boolean {
  return shutdown !== undefined && shutdown.reason !== 'Stopped' && shutdown.reason !== 'NodeLost';
}

/** Failures caused by the guest alone, as node agents and KWOK name them. */
const CRASHES: ReadonlySet<string | undefined> = new Set([
  'GuestCrashed',
  'OutOfMemory',
  'OOMKilled',
  'LivenessProbeFailed',
  'PodFailed',
]);
/** Other ends caused by the guest alone. They are failures only right after the start. */
const SHUTDOWNS: ReadonlySet<string | undefined> = new Set(['GuestShutdown', 'Completed']);

/** Reports whether the instance ended for a reason that would soon end the next one as well. */
function isLikelyToRecur(instance: VirtualMachineInstance, strategy: RunStrategy, now: number): boolean {
  const { phase, reason } = instance.status ?? {};
  const again = strategy === 'Always' || (strategy === 'RerunOnFailure' && phase === 'Failed');
  if (!again || !isFinal(instance)) return false;
  const isEarly = (endedAt(instance) ?? now) < startedAt(instance);
  return CRASHES.has(reason) || (isEarly && SHUTDOWNS.has(reason));
}

function startFailureAfter(
  before: StartFailure | undefined,
  shutdown: Shutdown | undefined,
  { runStrategy, restarts, instance, now, random }: StateObservation,
): StartFailure | undefined {
  if (!COUNTS_FAILURES.has(runStrategy)) return undefined;
  if (instance === undefined) return before;
  if (hasRun(instance) && (endedAt(instance) ?? now) >= steadyAt(instance)) return undefined;
  const broke = restarts === undefined && isLikelyToRecur(instance, runStrategy, now);
  const failed = hasRun(instance) ? broke : neverRan(shutdown);
  const { uid } = instance.metadata;
  if (!failed || before?.lastFailedVMIUID === uid) return before;
  const consecutiveFailCount = (before?.consecutiveFailCount ?? 0) + 1;
  const retryAt = now + startBackOff(consecutiveFailCount, random);
  return { consecutiveFailCount, lastFailedVMIUID: uid, retryAfterTimestamp: timestampNotBefore(retryAt) };
}
