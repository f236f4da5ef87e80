import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceStatus } from '#api/kubevirt/virtual-machine-instance';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Problem } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import { graceSecondsOf } from '#vm/engine/launcher/launcher-pod';
import { kwokAgentActions } from './kwok-agent.ts';
import { currentPod, isBound, isPodFinished, nodeOf } from './own-pods.ts';
import { nodeLost, type PodEnd, podDeleted, podEndOf } from './pod-end.ts';
import { endedStatus, isUnschedulable, pendingInstanceStatus, schedulingStatus } from './status.ts';

/** State of an instance that its plan is based on. */
export interface InstanceView {
  readonly vmi: Vmi;
  /** All pods of the instance, finished or not, including those of its migrations. */
  readonly pods: readonly Pod[];
  /** Nodes that have been silent for so long that nothing runs there anymore. */
  readonly lost: ReadonlySet<string>;
  /** Set if KWOK manages the node of the instance, so that no node agent ever reports for it. */
  readonly kwokManaged: boolean;
  /** Reason for which admission would reject the instance. Only known while it has no pod. */
  readonly rejection?: Problem;
  /** Claim that the instance needs and that does not exist. */
  readonly missingClaim?: string;
  /** Claim that the pod waits for because it has no volume yet. */
  readonly unboundClaim?: string;
  /** Node of a pod that was deleted before its node agent could report. */
  readonly abandoned?: string;
  /** Time for which the node agent has owed a report of how the machine ended. 0 if it was not noticed before. */
  readonly owedMs: number;
  readonly now: number;
}

export interface PlanSettings {
  readonly nodeLostAfterMs: number;
  /** Time to wait for a live node agent that does not report how a machine ended. */
  readonly agentTimeoutMs: number;
}

export type VmiAction =
  | { readonly do: 'create' }
  | { readonly do: 'delete'; readonly pod: Pod; readonly force: boolean }
  | { readonly do: 'annotate'; readonly pod: Pod; readonly annotations: Readonly<Record<string, string>> }
  /** `transient` marks a state that is not worth a write if it passes in a moment. */
  | { readonly do: 'report'; readonly status: InstanceStatus; readonly transient: boolean }
  /** The node agent has to report how the machine ended. */
  | { readonly do: 'await agent' }
  | { readonly do: 'requeue'; readonly requeueAfterMs: number }
  /** Nothing but the object of a deleted instance is left. */
  | { readonly do: 'release' };

/** Time that is added to the grace period of the guest before its pod is deleted too. */
const STOP_MARGIN_MS = 30_000;

export function planVmi(view: InstanceView, settings: PlanSettings): readonly VmiAction[] {
  const { vmi, pods } = view;
  if (isFinal(vmi)) return afterEnd(view, settings);
  const pod = currentPod(vmi, pods);
  const node = nodeOf(vmi, pod) || (view.abandoned ?? '');
  if (node !== '' && view.lost.has(node)) return abandon(view, node, settings);
  if (vmi.metadata.deletionTimestamp !== undefined) return planStop(view, pod, node, settings);
  if (pod === undefined) return withoutPod(view, node, settings);
  if (!isBound(pod)) {
    if (isPodFinished(pod)) return reclaimInstance(view, node, podEndOf(pod));
    return [
      {
        do: 'report',
        status: schedulingStatus(vmi, pod, claimUnbound(view), view.now),
        transient: !isUnschedulable(pod) && !hasProblem(vmi),
      },
    ];
  }
  if (view.kwokManaged) return kwokAgentActions(vmi, pod, pods, view.now);
  // From here on the node agent reports for the instance.
  return isPodFinished(pod) ? waitForAgentReport(view, node, podEndOf(pod), settings) : [];
}

/** Reports whether the status shows a problem, which has to be cleared when it is resolved. */
function hasProblem({ status }: Vmi): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === 'Synchronized' || type === 'PodScheduled') && state === 'False',
  );
}

function withoutPod(view: InstanceView, node: string, settings: PlanSettings): readonly VmiAction[] {
  const { vmi, missingClaim, rejection, now } = view;
  if (node !== '') return waitForAgentReport(view, node, podDeleted(), settings);
  if (vmi.status?.phase !== undefined && !['', 'Pending'].includes(vmi.status.phase)) {
    return reclaimInstance(view, node, podDeleted());
  }
  if (rejection !== undefined)
    return [{ do: 'report', status: pendingInstanceStatus(vmi, rejection, now), transient: false }];
  if (missingClaim === undefined) return [{ do: 'create' }];
  return [{ do: 'report', status: pendingInstanceStatus(vmi, claimMissing(vmi, missingClaim), now), transient: false }];
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

/** Leaves it to the live node agent to report how the machine ended, unless it has owed that for too long. */
function waitForAgentReport(
  view: InstanceView,
  node: string,
  end: PodEnd,
  { agentTimeoutMs }: PlanSettings,
): readonly VmiAction[] {
  return view.kwokManaged || view.owedMs >= agentTimeoutMs ? reclaimInstance(view, node, end) : [{ do: 'await agent' }];
}

/** Ends an instance on a lost node, where nothing runs and nobody reports. */
function abandon(view: InstanceView, node: string, { nodeLostAfterMs }: PlanSettings): readonly VmiAction[] {
  const there = view.pods.filter(({ spec }) => spec.nodeName === node);
  return [
    ...reclaimInstance(view, node, nodeLost(node, Math.round(nodeLostAfterMs / 1000))),
    ...there.map((pod): VmiAction => ({ do: 'delete', pod, force: true })),
  ];
}

/**
 * Reports in place of a node agent that the machine has ended, after which another may start. The machine may have
 * reached the target of a migration unnoticed, so pods elsewhere are deleted first.
 */
function reclaimInstance({ vmi, pods, lost, now }: InstanceView, node: string, end: PodEnd): readonly VmiAction[] {
  const elsewhere = pods.filter(
    (pod) => isBound(pod) && pod.spec.nodeName !== node && !isPodFinished(pod) && !lost.has(pod.spec.nodeName ?? ''),
  );
  if (elsewhere.length === 0) return [{ do: 'report', status: endedStatus(vmi, end, now), transient: false }];
  return elsewhere.filter((pod) => !isPodTerminating(pod)).map((pod) => ({ do: 'delete', pod, force: false }));
}

/** Plans for a deleted instance whose machine is not known to have ended. */
function planStop(
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
  if (pod !== undefined && isPodFinished(pod)) return waitForAgentReport(view, node, podEndOf(pod), settings);
  const spoken = (vmi.status?.nodeName ?? '') !== '' && !view.kwokManaged;
  const requested = Date.parse(vmi.metadata.deletionTimestamp ?? '');
  const left = requested + graceSecondsOf(vmi) * 1000 + STOP_MARGIN_MS - now;
  // A node agent that knows the machine shuts it down gracefully; otherwise deleting the pod ends it.
  if (spoken && left > 0) return [{ do: 'requeue', requeueAfterMs: left }];
  return pods.filter((each) => !isPodTerminating(each)).map((each) => ({ do: 'delete', pod: each, force: false }));
}

const isPodTerminating = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;

/** Cleans up after a machine that has ended, at the latest when the instance is deleted. */
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
      // The node agent is about to report the pod as finished. If it does not, the pod is deleted.
      if (!view.kwokManaged && owedMs < settings.agentTimeoutMs) owed = true;
      else if (!isPodTerminating(pod)) actions.push({ do: 'delete', pod, force: false });
    }
  }
  return owed ? [...actions, { do: 'await agent' }] : actions;
}
