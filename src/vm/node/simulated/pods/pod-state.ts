import { timestamp } from '#platform/base/timestamp';
import type { Pod } from '#platform/kube/kinds/pod';
import {
  type ContainerState,
  type ContainerStatus,
  containerStatus,
  type Terminated,
} from '../../pod/container-status.ts';
import type { PodPhase } from '../../pod/pod-status.ts';
import type { Behavior } from '../behavior.ts';
import {
  advanceContainer,
  type ContainerEnd,
  type ContainerRun,
  type EndOf,
  endContainer,
  type SimulatedContainer,
  startContainer,
} from './simulated-container.ts';

interface Probe {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

interface ProbedContainer {
  readonly name: string;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

/** State of a pod at a time. */
export interface PodState {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly lives: readonly SimulatedContainer[];
  readonly containers: readonly ContainerStatus[];
  /** Time of the next change without any event. */
  readonly again?: number;
}

export interface PreviousPodState {
  readonly lives: readonly SimulatedContainer[];
  /** Time since when the liveness probe would have failed. */
  readonly unhealthySince: number | undefined;
}

/** Computes the state of a pod's containers at a time. */
export function podAt(pod: Pod, behavior: Behavior, then: PreviousPodState, now: number): PodState {
  const policy = (pod.spec['restartPolicy'] ?? 'Always') as 'Always' | 'OnFailure' | 'Never';
  const stop = stopOf(pod, behavior);
  const deadline = deadlineOf(pod);
  const times: (number | undefined)[] = [];
  const over = deadline !== undefined && deadline <= now;
  const cut = over
    ? { at: deadline, exitCode: 137, reason: 'Error' }
    : stop !== undefined && stop.at <= now
      ? stop
      : undefined;
  const lives = pod.spec.containers.map((container, i) => {
    const endOf = endsOf(pod, container, i, behavior, then.unhealthySince);
    const { life, again } = advanceContainer(
      then.lives[i] ?? startContainer(now),
      endOf,
      stop === undefined ? policy : 'Never',
      now,
    );
    times.push(again);
    return cut === undefined ? life : endContainer(life, cut);
  });
  const ready = pod.spec.containers.map((container, i) => {
    const at = readyAt(container, lives[i], behavior);
    if (at !== undefined && at > now) times.push(at);
    return at !== undefined && at <= now;
  });
  const phase = phaseOf(lives, policy, stop !== undefined || over, over);
  const next = Math.min(...[...times, stop?.at, deadline].filter((at) => at !== undefined && at > now).map(Number));
  return {
    phase,
    ...(over
      ? { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' }
      : {}),
    lives,
    containers: pod.spec.containers.map((container, i) =>
      statusOf(pod, container, lives[i] as SimulatedContainer, ready[i] === true),
    ),
    ...(Number.isFinite(next) && phase !== 'Succeeded' && phase !== 'Failed' ? { again: next } : {}),
  };
}

/** Returns when and how containers end because the pod is deleted. */
function stopOf({ metadata }: Pod, { shutdownMs }: Behavior): ContainerEnd | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const requested = Date.parse(metadata.deletionTimestamp) - graceMs;
  return shutdownMs <= graceMs
    ? { at: requested + shutdownMs, exitCode: 0, reason: 'Completed' }
    : { at: requested + graceMs, exitCode: 137, reason: 'Error' };
}

function deadlineOf({ spec, status }: Pod): number | undefined {
  const { activeDeadlineSeconds } = spec;
  if (activeDeadlineSeconds === undefined || status?.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + activeDeadlineSeconds * 1000;
}

/** Returns when a container ends by itself: it completes, was set to fail, or fails its liveness probe. */
function endsOf(
  pod: Pod,
  container: ProbedContainer,
  index: number,
  behavior: Behavior,
  unhealthySince: number | undefined,
): EndOf {
  const { completeAfterMs, exitCode, fail, failAfterMs, failTimes } = behavior;
  const isJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true);
  const completes = completeAfterMs ?? (isJob === true ? 0 : undefined);
  return (startedAt, restarts) => {
    const ends: ContainerEnd[] = [];
    if (completes !== undefined) {
      ends.push({ at: startedAt + completes, exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' });
    }
    if (index === 0 && (fail === 'crash' || fail === 'oom') && restarts < failTimes) {
      const how = fail === 'oom' ? { exitCode: 137, reason: 'OOMKilled' } : { exitCode: 1, reason: 'Error' };
      ends.push({ at: startedAt + failAfterMs, ...how });
    }
    const { livenessProbe } = container;
    if (livenessProbe !== undefined && unhealthySince !== undefined) {
      const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = livenessProbe;
      const first = Math.max(unhealthySince, startedAt + initialDelaySeconds * 1000);
      ends.push({ at: first + periodSeconds * 1000 * (failureThreshold - 1), exitCode: 137, reason: 'Error' });
    }
    return ends.sort((a, b) => a.at - b.at)[0];
  };
}

/** Returns when a container becomes ready, or undefined if it never does by itself. */
function readyAt({ readinessProbe }: ProbedContainer, life: SimulatedContainer | undefined, { ready }: Behavior) {
  if (life === undefined || life.run.end !== undefined) return undefined;
  if (readinessProbe === undefined) return life.run.startedAt;
  return ready ? life.run.startedAt + (readinessProbe.initialDelaySeconds ?? 0) * 1000 : undefined;
}

function phaseOf(lives: readonly SimulatedContainer[], policy: string, stopping: boolean, failed: boolean): PodPhase {
  const ended = lives.every(({ run, waits }) => run.end !== undefined && waits === undefined);
  if (!ended) return 'Running';
  const well = lives.every(({ run }) => run.end?.exitCode === 0);
  if (failed) return 'Failed';
  return well && (policy !== 'Always' || stopping) ? 'Succeeded' : well ? 'Running' : 'Failed';
}

function statusOf(pod: Pod, container: ProbedContainer, life: SimulatedContainer, ready: boolean): ContainerStatus {
  const { run, last, restarts, waits } = life;
  const end = terminatedState(run);
  const state: ContainerState =
    end === undefined
      ? { running: { startedAt: timestamp(run.startedAt) } }
      : waits === undefined
        ? { terminated: end }
        : { waiting: { reason: 'CrashLoopBackOff', message: waitMessage(pod, container, life) } };
  const before = waits === undefined ? terminatedState(last) : end;
  return containerStatus(container, state, {
    podUid: pod.metadata.uid ?? '',
    ready,
    restarts,
    ...(before === undefined ? {} : { last: { terminated: before } }),
  });
}

function waitMessage({ metadata }: Pod, { name }: ProbedContainer, { streak }: SimulatedContainer): string {
  const wait = Math.min(300, 10 * 2 ** Math.max(0, streak - 1));
  return `back-off ${wait >= 60 ? `${Math.floor(wait / 60)}m${wait % 60}s` : `${wait}s`} restarting failed container=${name} pod=${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}

function terminatedState(run: ContainerRun | undefined): Terminated | undefined {
  if (run?.end === undefined) return undefined;
  const { at, exitCode, reason } = run.end;
  return { exitCode, reason, startedAt: timestamp(run.startedAt), finishedAt: timestamp(at) };
}

/** Reconstructs the state of containers from their statuses, after a restart of the process. */
export function containersFrom(pod: Pod): SimulatedContainer[] {
  const statuses = (pod.status?.containerStatuses ?? []) as readonly ContainerStatus[];
  return pod.spec.containers.flatMap(({ name }) => {
    const status = statuses.find((each) => each.name === name);
    if (status?.state === undefined) return [];
    const { state, lastState, restartCount } = status;
    const last = runFrom(lastState?.terminated);
    const run =
      runFrom(state.terminated ?? (state.waiting === undefined ? undefined : lastState?.terminated)) ??
      (state.running === undefined ? undefined : { startedAt: Date.parse(state.running.startedAt ?? '') });
    if (run === undefined) return [];
    const before = last === undefined || state.waiting !== undefined ? {} : { last };
    return [{ restarts: restartCount, streak: restartCount, run, ...before }];
  });
}

function runFrom(terminated: Terminated | undefined): ContainerRun | undefined {
  if (terminated === undefined) return undefined;
  const { startedAt, finishedAt, exitCode, reason } = terminated;
  return { startedAt: Date.parse(startedAt ?? ''), end: { at: Date.parse(finishedAt ?? ''), exitCode, reason } };
}
