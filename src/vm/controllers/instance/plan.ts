import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Problem } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import { graceSecondsOf } from '#vm/engine/launcher/launcher-pod';
import { currentPod, isBound, isFinished, nodeOf } from './own-pods.ts';
import { type End, endOf, nodeLost, podDeleted } from './pod-end.ts';
import { standIn } from './stand-in-agent.ts';
import { endedStatus, type InstanceStatus, isUnschedulable, pendingStatus, schedulingStatus } from './status.ts';

/** All that is known of an instance when it is decided what to do. */
export interface Sight {
  readonly vmi: Vmi;
  /** All that belong to it, finished or not, those of its migrations included. */
  readonly pods: readonly Pod[];
  /** Which of the nodes concerned have been silent for so long that nothing runs there any more. */
  readonly lost: ReadonlySet<string>;
  /** Whether KWOK plays the node of the instance, so that no agent will ever speak for it. */
  readonly played: boolean;
  /** Why admission would not have let the instance in; known only while it has no pod. */
  readonly refusal?: Problem;
  /** A claim that the instance needs and that does not exist. */
  readonly missingClaim?: string;
  /** A claim that the pod waits for, because it has no volume yet. */
  readonly unboundClaim?: string;
  /** The node of a pod that went away all at once, before its agent could say anything. */
  readonly abandoned?: string;
  /** For how long the agent has owed its word on how the machine ended; 0 where it has not been noticed before. */
  readonly owedMs: number;
  readonly now: number;
}

export interface PlanSettings {
  readonly nodeLostAfterMs: number;
  /** How long to wait for an agent that lives, yet does not say how a machine ended. */
  readonly agentPatienceMs: number;
}

export type Action =
  | { readonly do: 'create' }
  | { readonly do: 'delete'; readonly pod: Pod; readonly force: boolean }
  | { readonly do: 'annotate'; readonly pod: Pod; readonly annotations: Readonly<Record<string, string>> }
  /** `passing`: not worth a write where it is over in a moment. */
  | { readonly do: 'report'; readonly status: InstanceStatus; readonly passing: boolean }
  /** The agent of the node has to say how the machine ended. */
  | { readonly do: 'await agent' }
  | { readonly do: 'look again'; readonly afterMs: number }
  /** Nothing is left of a deleted instance but its own object. */
  | { readonly do: 'release' };

/** After the time that a guest has to shut down, before its pod is told to end as well. */
const STOP_MARGIN_MS = 30_000;

/** What to do about an instance as it stands. */
export function plan(sight: Sight, settings: PlanSettings): readonly Action[] {
  const { vmi, pods } = sight;
  if (isFinal(vmi)) return afterEnd(sight, settings);
  const pod = currentPod(vmi, pods);
  const node = nodeOf(vmi, pod) || (sight.abandoned ?? '');
  if (node !== '' && sight.lost.has(node)) return giveUp(sight, node, settings);
  if (vmi.metadata.deletionTimestamp !== undefined) return stopping(sight, pod, node, settings);
  if (pod === undefined) return withoutPod(sight, node, settings);
  if (!isBound(pod)) {
    if (isFinished(pod)) return takeBack(sight, node, endOf(pod));
    return [
      {
        do: 'report',
        status: schedulingStatus(vmi, pod, claimUnbound(sight), sight.now),
        passing: !isUnschedulable(pod) && !isTroubled(vmi),
      },
    ];
  }
  if (sight.played) return standIn(vmi, pod, pods, sight.now);
  // From here on the agent speaks for the instance.
  return isFinished(pod) ? agentsWord(sight, node, endOf(pod), settings) : [];
}

/** Whether the status tells of a trouble, which has to go when it is over. */
function isTroubled({ status }: Vmi): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === 'Synchronized' || type === 'PodScheduled') && state === 'False',
  );
}

function withoutPod(sight: Sight, node: string, settings: PlanSettings): readonly Action[] {
  const { vmi, missingClaim, refusal, now } = sight;
  if (node !== '') return agentsWord(sight, node, podDeleted(), settings);
  if (vmi.status?.phase !== undefined && !['', 'Pending'].includes(vmi.status.phase)) {
    return takeBack(sight, node, podDeleted());
  }
  if (refusal !== undefined) return [{ do: 'report', status: pendingStatus(vmi, refusal, now), passing: false }];
  if (missingClaim === undefined) return [{ do: 'create' }];
  return [{ do: 'report', status: pendingStatus(vmi, claimMissing(vmi, missingClaim), now), passing: false }];
}

function claimMissing({ metadata }: Vmi, claim: string): Problem {
  return {
    reason: 'FailedPvcNotFound',
    message: `PVC ${metadata.namespace}/${claim} does not exist, waiting for it to appear`,
  };
}

function claimUnbound({ vmi, unboundClaim }: Sight): Problem | undefined {
  if (unboundClaim === undefined) return undefined;
  return {
    reason: 'WaitingForVolumeBinding',
    message: `PVC ${vmi.metadata.namespace}/${unboundClaim} has no volume yet`,
  };
}

/** The agent of the node lives: how the machine ended is for it to say, unless it owes its word for too long. */
function agentsWord(sight: Sight, node: string, end: End, { agentPatienceMs }: PlanSettings): readonly Action[] {
  return sight.played || sight.owedMs >= agentPatienceMs ? takeBack(sight, node, end) : [{ do: 'await agent' }];
}

/** Nothing runs on the node any more, and nobody there will say so. */
function giveUp(sight: Sight, node: string, { nodeLostAfterMs }: PlanSettings): readonly Action[] {
  const there = sight.pods.filter(({ spec }) => spec.nodeName === node);
  return [
    ...takeBack(sight, node, nodeLost(node, Math.round(nodeLostAfterMs / 1000))),
    ...there.map((pod): Action => ({ do: 'delete', pod, force: true })),
  ];
}

/**
 * Says for an agent that the machine has ended; with that, another may be started. The machine may have gone to the
 * target of a migration unnoticed, so that whatever is there has to be gone first.
 */
function takeBack({ vmi, pods, lost, now }: Sight, node: string, end: End): readonly Action[] {
  const elsewhere = pods.filter(
    (pod) => isBound(pod) && pod.spec.nodeName !== node && !isFinished(pod) && !lost.has(pod.spec.nodeName ?? ''),
  );
  if (elsewhere.length === 0) return [{ do: 'report', status: endedStatus(vmi, end, now), passing: false }];
  return elsewhere.filter((pod) => !isGoing(pod)).map((pod) => ({ do: 'delete', pod, force: false }));
}

/** A deleted instance whose machine has not ended, as far as is known. */
function stopping(sight: Sight, pod: Pod | undefined, node: string, settings: PlanSettings): readonly Action[] {
  const { vmi, pods, now } = sight;
  const waiting = pods.filter((each) => !isBound(each));
  if (waiting.length > 0) return waiting.map((each) => ({ do: 'delete', pod: each, force: false }));
  if (pods.length === 0) {
    if (node === '' || sight.played || sight.owedMs >= settings.agentPatienceMs) return [{ do: 'release' }];
    return [{ do: 'await agent' }];
  }
  if (pod !== undefined && isFinished(pod)) return agentsWord(sight, node, endOf(pod), settings);
  const spoken = (vmi.status?.nodeName ?? '') !== '' && !sight.played;
  const asked = Date.parse(vmi.metadata.deletionTimestamp ?? '');
  const left = asked + graceSecondsOf(vmi) * 1000 + STOP_MARGIN_MS - now;
  // An agent that knows of the machine stops it as it should be stopped; otherwise the end of the pod ends it.
  if (spoken && left > 0) return [{ do: 'look again', afterMs: left }];
  return pods.filter((each) => !isGoing(each)).map((each) => ({ do: 'delete', pod: each, force: false }));
}

const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;

/** The machine has ended: what is left of it goes, at the latest with the instance. */
function afterEnd(sight: Sight, settings: PlanSettings): readonly Action[] {
  const { vmi, pods, lost, owedMs } = sight;
  const deleted = vmi.metadata.deletionTimestamp !== undefined;
  if (pods.length === 0) return deleted ? [{ do: 'release' }] : [];
  const actions: Action[] = [];
  let owed = false;
  for (const pod of pods) {
    if (lost.has(pod.spec.nodeName ?? '')) {
      if (deleted || !isFinished(pod)) actions.push({ do: 'delete', pod, force: true });
    } else if (!isBound(pod) || (deleted && isFinished(pod))) {
      actions.push({ do: 'delete', pod, force: false });
    } else if (!isFinished(pod)) {
      // Its agent is about to say that it is finished; if not, it is told to end.
      if (!sight.played && owedMs < settings.agentPatienceMs) owed = true;
      else if (!isGoing(pod)) actions.push({ do: 'delete', pod, force: false });
    }
  }
  return owed ? [...actions, { do: 'await agent' }] : actions;
}
