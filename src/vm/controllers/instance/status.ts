import type { InstancePhase } from '#api/kubevirt/group';
import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import { inOrder } from '#api/kubevirt/phase-times';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceStatus } from '#api/kubevirt/virtual-machine-instance';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Problem } from '#vm/engine/dialect';
import type { PodEnd } from './pod-end.ts';

const SYNCHRONIZED = 'Synchronized';
const POD_SCHEDULED = 'PodScheduled';
/** Conditions that only apply while there is a guest. */
const OF_A_GUEST = ['Paused', 'AgentConnected', ...HOT_CHANGES.keys()];

/** Returns the status of an instance without a pod. */
export function pendingInstanceStatus(vmi: Vmi, blocker: Problem, now: number): InstanceStatus {
  const { status } = vmi;
  const notReady = { type: 'Ready', status: 'False', ...blocker } as const;
  const notDone = { type: SYNCHRONIZED, status: 'False', ...blocker } as const;
  return withInstancePhase({ ...status, conditions: withAll(status, [notReady, notDone], now) }, 'Pending', vmi, now);
}

/** Returns the status of an instance whose pod has no node yet, with the scheduler's message. */
export function schedulingStatus(vmi: Vmi, pod: Pod, blocker: Problem | undefined, now: number): InstanceStatus {
  const { status } = vmi;
  const scheduled = conditionOf(pod.status?.conditions, POD_SCHEDULED);
  const stuck = scheduled?.status === 'False' ? scheduled : undefined;
  const notReady = {
    type: 'Ready',
    status: 'False',
    reason: 'GuestNotRunning',
    message: 'Guest VM is not reported as running',
  } as const;
  const copied = stuck === undefined ? [] : [copyOf(stuck)];
  const notDone = blocker === undefined ? [] : [{ type: SYNCHRONIZED, status: 'False', ...blocker } as const];
  const qosClass = pod.status?.['qosClass'] as InstanceStatus['qosClass'];
  const over = [...(notDone.length === 0 ? [SYNCHRONIZED] : []), ...(stuck === undefined ? [POD_SCHEDULED] : [])];
  const before = without(status, over);
  return withInstancePhase(
    {
      ...before,
      activePods: { [pod.metadata.uid ?? '']: '' },
      ...(qosClass === undefined ? {} : { qosClass }),
      conditions: withAll(before, [notReady, ...copied, ...notDone], now),
    },
    'Scheduling',
    vmi,
    now,
  );
}

/** Reports whether the scheduler found no node for the pod, which is reported at once. */
export function isUnschedulable({ status }: Pod): boolean {
  return conditionOf(status?.conditions, POD_SCHEDULED)?.status === 'False';
}

/** Returns the status of an instance that ended without a report of its node agent. */
export function endedStatus(vmi: Vmi, { phase, reason, message }: PodEnd, now: number): InstanceStatus {
  const notReady = { type: 'Ready', status: 'False', reason, message } as const;
  const before = without(vmi.status, [SYNCHRONIZED, POD_SCHEDULED, ...OF_A_GUEST]);
  return withInstancePhase({ ...before, reason, conditions: withAll(before, [notReady], now) }, phase, vmi, now);
}

/** Returns the status in another phase, with the times of the transition and of the creation. */
export function withInstancePhase(
  status: InstanceStatus,
  phase: InstancePhase,
  { metadata }: Vmi,
  now: number,
): InstanceStatus {
  const known = status.phaseTransitionTimestamps ?? [];
  if (status.phase === phase && known.some((time) => time.phase === phase)) return status;
  const made = { phase: 'Pending' as const, phaseTransitionTimestamp: metadata.creationTimestamp };
  const others = known.filter((each) => each.phase !== phase);
  const times = phase === 'Pending' || known.some((each) => each.phase === 'Pending') ? others : [made, ...others];
  const time = { phase, phaseTransitionTimestamp: timestamp(now) };
  return { ...status, phase, phaseTransitionTimestamps: inOrder([...times, time]) };
}

function withAll(
  status: InstanceStatus | undefined,
  conditions: readonly KubeCondition[],
  now: number,
): NonNullable<InstanceStatus['conditions']> {
  const time = timestamp(now);
  let all = (status?.conditions ?? []) as readonly KubeCondition[];
  for (const condition of conditions) all = withCondition(all, condition, time);
  return all;
}

function without(status: InstanceStatus | undefined, types: readonly string[]): InstanceStatus {
  const { conditions, ...rest } = status ?? {};
  const left = (conditions ?? []).filter(({ type }) => !types.includes(type));
  return { ...rest, ...(conditions === undefined ? {} : { conditions: left }) };
}

/** Copies only the fields that our conditions have. */
function copyOf({ type, status, reason, message }: KubeCondition): KubeCondition {
  return {
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}
