import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Problem } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import { graceSecondsOf } from '#vm/engine/launcher/launcher-pod';
import { kwokAgentActions } from './kwok-agent.ts';
import { currentPod, isBound, isPodFinished, nodeOf } from './own-pods.ts';
import { endOf, nodeLost, type PodEnd, podDeleted } from './pod-end.ts';
import { endedStatus, type InstanceStatus, isUnschedulable, pendingStatus, schedulingStatus } from './status.ts';

/** All that is known of an instance when it is decided what to do. */
export interface InstanceView {
  readonly vmi: Vmi;
  /** All that belong to it, finished or not, those of its migrations included. */
  readonly pods: readonly Pod[];
  /** Which of the nodes concerned have been silent for so long that nothing runs there any more. */
  readonly lost: ReadonlySet<string>;
  /** Whether KWOK plays the node of the instance, so that no agent will ever speak for it. */
  readonly kwokManaged: boolean;
  /** Why admission would not have let the instance in; known only while it has no pod. */
  readonly rejection?: Problem;
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
  readonly agentTimeoutMs: number;
}

export type VmiAction =
  | { readonly do: 'create' }
  | { readonly do: 'delete'; readonly pod: Pod; readonly force: boolean }
  | { readonly do: 'annotate'; readonly pod: Pod; readonly annotations: Readonly<Record<string, string>> }
  /** `passing`: not worth a write where it is over in a moment. */
  | { readonly do: 'report'; readonly status: InstanceStatus; readonly transient: boolean }
  /** The agent of the node has to say how the machine ended. */
  | { readonly do: 'await agent' }
  | { readonly do: 'requeue'; readonly requeueAfterMs: number }
  /** Nothing is left of a deleted instance but its own object. */
  | { readonly do: 'release' };

/** After the time that a guest has to shut down, before its pod is told to end as well. */
const STOP_MARGIN_MS = 30_000;

/** What to do about an instance as it stands. */
export function planVmi(view: InstanceView, settings: PlanSettings): readonly VmiAction[] {
  const { vmi, pods } = view;
  if (isFinal(vmi)) return afterEnd(view, settings);
  const pod = currentPod(vmi, pods);
  const node = nodeOf(vmi, pod) || (view.abandoned ?? '');
  if (node !== '' && view.lost.has(node)) return abandon(view, node, settings);
  if (vmi.metadata.deletionTimestamp !== undefined) return stopping(view, pod, node, settings);
  if (pod === undefined) return withoutPod(view, node, settings);
  if (!isBound(pod)) {
    if (isPodFinished(pod)) return takeBack(view, node, endOf(pod));
    return [
      {
        do: 'report',
        status: schedulingStatus(vmi, pod, claimUnbound(view), view.now),
        transient: !isUnschedulable(pod) && !isTroubled(vmi),
      },
    ];
  }
  if (view.kwokManaged) return kwokAgentActions(vmi, pod, pods, view.now);
  // From here on the agent speaks for the instance.
  return isPodFinished(pod) ? agentsWord(view, node, endOf(pod), settings) : [];
}

/** Whether the status tells of a trouble, which has to go when it is over. */
function isTroubled({ status }: Vmi): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === 'Synchronized' || type === 'PodScheduled') && state === 'False',
  );
}

function withoutPod(view: InstanceView, node: string, settings: PlanSettings): readonly VmiAction[] {
  const { vmi, missingClaim, rejection, now } = view;
  if (node !== '') return agentsWord(view, node, podDeleted(), settings);
  if (vmi.status?.phase !== undefined && !['', 'Pending'].includes(vmi.status.phase)) {
    return takeBack(view, node, podDeleted());
  }
  if (rejection !== undefined) return [{ do: 'report', status: pendingStatus(vmi, rejection, now), transient: false }];
  if (missingClaim === undefined) return [{ do: 'create' }];
  return [{ do: 'report', status: pendingStatus(vmi, claimMissing(vmi, missingClaim), now), transient: false }];
}

function claimMissing({ metadata }: Vmi, claim: string): Problem {
  return {
    reason: 'FailedPvcNotFound',
    message: `PVC ${metadata.namespace}/${claim} does not exist, waiting for it to appear`,
  };
}

function claimUnbound({ vmi, unboundClaim }: InstanceView): Problem | undefined {
  if (unboundClaim === undefined) return undefined;
  return {
    reason: 'WaitingForVolumeBinding',
    message: `PVC ${vmi.metadata.namespace}/${unboundClaim} has no volume yet`,
  };
}

/** The agent of the node lives: how the machine ended is for it to say, unless it owes its word for too long. */
function agentsWord(
  view: InstanceView,
  node: string,
  end: PodEnd,
  { agentTimeoutMs }: PlanSettings,
): readonly VmiAction[] {
  return view.kwokManaged || view.owedMs >= agentTimeoutMs ? takeBack(view, node, end) : [{ do: 'await agent' }];
}

/** Nothing runs on the node any more, and nobody there will say so. */
function abandon(view: InstanceView, node: string, { nodeLostAfterMs }: PlanSettings): readonly VmiAction[] {
  const there = view.pods.filter(({ spec }) => spec.nodeName === node);
  return [
    ...takeBack(view, node, nodeLost(node, Math.round(nodeLostAfterMs / 1000))),
    ...there.map((pod): VmiAction => ({ do: 'delete', pod, force: true })),
  ];
}

/**
 * Says for an agent that the machine has ended; with that, another may be started. The machine may have gone to the
 * target of a migration unnoticed, so that whatever is there has to be gone first.
 */
function takeBack({ vmi, pods, lost, now }: InstanceView, node: string, end: PodEnd): readonly VmiAction[] {
  const elsewhere = pods.filter(
    (pod) => isBound(pod) && pod.spec.nodeName !== node && !isPodFinished(pod) && !lost.has(pod.spec.nodeName ?? ''),
  );
  if (elsewhere.length === 0) return [{ do: 'report', status: endedStatus(vmi, end, now), transient: false }];
  return elsewhere.filter((pod) => !isPodTerminating(pod)).map((pod) => ({ do: 'delete', pod, force: false }));
}

/** A deleted instance whose machine has not ended, as far as is known. */
function stopping(
  view: InstanceView,
  pod: Pod | undefined,
  node: string,
  settings: PlanSettings,
): readonly VmiAction[] {
  const { vmi, pods, now } = view;
  const waiting = pods.filter((each) => !isBound(each));
  if (waiting.length > 0) return waiting.map((each) => ({ do: 'delete', pod: each, force: false }));
  if (pods.length === 0) {
    if (node === '' || view.kwokManaged || view.owedMs >= settings.agentTimeoutMs) return [{ do: 'release' }];
    return [{ do: 'await agent' }];
  }
  if (pod !== undefined && isPodFinished(pod)) return agentsWord(view, node, endOf(pod), settings);
  const spoken = (vmi.status?.nodeName ?? '') !== '' && !view.kwokManaged;
  const asked = Date.parse(vmi.metadata.deletionTimestamp ?? '');
  const left = asked + graceSecondsOf(vmi) * 1000 + STOP_MARGIN_MS - now;
  // An agent that knows of the machine stops it as it should be stopped; otherwise the end of the pod ends it.
  if (spoken && left > 0) return [{ do: 'requeue', requeueAfterMs: left }];
  return pods.filter((each) => !isPodTerminating(each)).map((each) => ({ do: 'delete', pod: each, force: false }));
}

const isPodTerminating = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;

/** The machine has ended: what is left of it goes, at the latest with the instance. */
function afterEnd(view: InstanceView, settings: PlanSettings): readonly VmiAction[] {
  const { vmi, pods, lost, owedMs } = view;
  const deleted = vmi.metadata.deletionTimestamp !== undefined;
  if (pods.length === 0) return deleted ? [{ do: 'release' }] : [];
  const actions: VmiAction[] = [];
  let owed = false;
  for (const pod of pods) {
    if (lost.has(pod.spec.nodeName ?? '')) {
      if (deleted || !isPodFinished(pod)) actions.push({ do: 'delete', pod, force: true });
    } else if (!isBound(pod) || (deleted && isPodFinished(pod))) {
      actions.push({ do: 'delete', pod, force: false });
    } else if (!isPodFinished(pod)) {
      // Its agent is about to say that it is finished; if not, it is told to end.
      if (!view.kwokManaged && owedMs < settings.agentTimeoutMs) owed = true;
      else if (!isPodTerminating(pod)) actions.push({ do: 'delete', pod, force: false });
    }
  }
  return owed ? [...actions, { do: 'await agent' }] : actions;
}
