import { COMPUTE_CONTAINER } from '#api/launcher';
import { timestamp } from '#platform/base/timestamp';
import type { Container, Pod, PodStatus } from '#platform/kube/kinds/pod';
import { type ContainerState, type ContainerStatus, containerStatus, type Waiting } from '../pod/container-status.ts';
import { podStatus } from '../pod/pod-status.ts';
import type { Termination } from './termination.ts';

export interface LauncherFacts {
  readonly hostIP: string;
  readonly podIP: string;
  /** Time when the node first saw the pod. */
  readonly seenAt: number;
  /** Explains why the container does not run yet. */
  readonly waiting: Waiting | undefined;
  readonly termination: Termination | undefined;
  /** The machine is ready to serve. */
  readonly ready: boolean;
}

/** Returns the status of a launcher pod, whose containers live as long as the machine. */
export function launcherStatus(pod: Pod, facts: LauncherFacts, now: number): PodStatus {
  const { waiting, termination, ready, hostIP, podIP, seenAt } = facts;
  const { uid = '' } = pod.metadata;
  const before = (pod.status?.containerStatuses ?? []) as readonly ContainerStatus[];
  const init = pod.spec.initContainers ?? [];
  const statusOf = (container: Container): ContainerStatus => {
    const state = stateOf(before.find(({ name }) => name === container.name)?.state, facts, now);
    const isReady = state.running !== undefined && (ready || container.name !== COMPUTE_CONTAINER);
    return containerStatus(container, state, { podUid: uid, ready: isReady });
  };
  const over = termination === undefined ? undefined : termination.exitCode === 0 ? 'Succeeded' : 'Failed';
  const done = { terminated: { exitCode: 0, reason: 'Completed', startedAt: null, finishedAt: null } };
  return podStatus(
    pod,
    {
      phase: over ?? (waiting === undefined ? 'Running' : 'Pending'),
      ...(over === 'Failed' ? { reason: termination?.reason ?? '', message: termination?.message ?? '' } : {}),
      hostIP,
      podIP: waiting === undefined ? podIP : '',
      startedAt: seenAt,
      containers: pod.spec.containers.map(statusOf),
      initContainers: init.map((container) => {
        const state = waiting === undefined ? done : { waiting };
        return containerStatus(container, state, { podUid: uid, ready: waiting === undefined });
      }),
      initialized: waiting === undefined || init.length === 0,
    },
    now,
  );
}

function stateOf(
  before: ContainerState | undefined,
  { waiting, termination }: LauncherFacts,
  now: number,
): ContainerState {
  const time = timestamp(now);
  if (termination !== undefined) {
    if (before?.terminated !== undefined) return before;
    const { exitCode, exitReason, message } = termination;
    const startedAt = before?.running?.startedAt ?? null;
    const said = exitCode === 0 ? {} : { message };
    return { terminated: { exitCode, reason: exitReason, ...said, startedAt, finishedAt: time } };
  }
  if (waiting !== undefined) return { waiting };
  return before?.running === undefined ? { running: { startedAt: time } } : before;
}
