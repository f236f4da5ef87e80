import type { Random } from '#platform/base/random';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { Attempt } from '../framework/attempt.ts';
import { fitMessage } from '../framework/diagnosis.ts';
import type { FilterStatus } from '../framework/filter.ts';
import type { PreemptionArgs } from '../framework/profile.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { pickOneNodeForPreemption } from './pick-node.ts';
import { NO_VICTIMS, type PreemptionCandidate, selectVictimsOnNode } from './victims.ts';

export const PREEMPTED = 'PreemptionByScheduler';

export type Preemption =
  /** The pod is nominated to this node once these victims are evicted. */
  | { readonly victims: readonly PodInfo[]; readonly slot: number }
  /** Preemption does not help. With `keepsNomination` the pod retains its current nomination. */
  | { readonly victims?: undefined; readonly message: string; readonly keepsNomination: boolean };

const NOT_HELPFUL: FilterStatus = {
  plugin: 'NodeResourcesFit',
  reasons: ['Preemption is not helpful for scheduling'],
  preemptable: false,
};

/** Finds lower-priority pods whose eviction makes room for a pod that fits nowhere. Changes nothing. */
export function preempt(
  attempt: Attempt,
  args: PreemptionArgs,
  nodes: Snapshot,
  budgets: readonly PodDisruptionBudget[],
  random: Random,
): Preemption {
  const { pod, filters } = attempt;
  const ineligible = whyNotEligible(attempt, nodes);
  if (ineligible !== undefined) return { message: `preemption: ${ineligible}`, keepsNomination: true };
  const open = preemptable(attempt);
  // Usually all pods have the same priority, and then single nodes need no check for victims.
  if (open.length > 0 && !nodes.priorities.hasBelow(pod.priority))
    return unsuccessfulPreemption(nodes, new Map([[NO_VICTIMS, open.length]]));
  const desired = numCandidates(open.length, args);
  const offset = open.length === 0 ? 0 : random.int(0, open.length - 1);
  const harmless: PreemptionCandidate[] = [];
  const harmful: PreemptionCandidate[] = [];
  const refusals = new Map<FilterStatus, number>();
  for (let i = 0; i < open.length; i++) {
    if (harmless.length > 0 && harmless.length + harmful.length >= desired) break;
    const slot = open[(offset + i) % open.length] ?? 0;
    const found = selectVictimsOnNode(slot, pod, filters, nodes, budgets);
    if ('reasons' in found) refusals.set(found, (refusals.get(found) ?? 0) + 1);
    else (found.broken === 0 ? harmless : harmful).push(found);
  }
  const best = pickOneNodeForPreemption([...harmless, ...harmful]);
  return best ?? unsuccessfulPreemption(nodes, refusals);
}

function unsuccessfulPreemption(nodes: Snapshot, refusals: ReadonlyMap<FilterStatus, number>): Preemption {
  const message = fitMessage({ nodes: nodes.size, refusals, others: NOT_HELPFUL });
  return { message: `preemption: ${message}`, keepsNomination: false };
}

/** Returns the nodes that rejected the pod for something that other pods use. */
function preemptable({ refused: rejected, refusals, refusedCount, diagnosis }: Attempt): readonly number[] {
  if (diagnosis?.all !== undefined) return [];
  const slots: number[] = [];
  for (let i = 0; i < refusedCount; i++) if (refusals[i]?.preemptable === true) slots.push(rejected[i] ?? 0);
  return slots;
}

function numCandidates(nodes: number, args: PreemptionArgs): number {
  const part = Math.trunc((nodes * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodes, Math.max(part, args.minCandidateNodesAbsolute));
}

/** Returns why a pod may not preempt: its policy forbids it, or its earlier victims are still terminating. */
function whyNotEligible(attempt: Attempt, nodes: Snapshot): string | undefined {
  const { pod, priority } = attempt.pod;
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = pod.status?.nominatedNodeName ?? '';
  const slot = nominated === '' ? undefined : nodes.slotOf(nominated);
  if (slot === undefined || isHopeless(attempt, slot)) return undefined;
  for (const other of nodes.podsAt(slot).values()) {
    if (other.priority < priority && isLeavingForOthers(other)) {
      return 'not eligible due to a terminating pod on the nominated node.';
    }
  }
  return undefined;
}

function isHopeless({ refused: rejected, refusals, refusedCount, diagnosis }: Attempt, slot: number): boolean {
  if (diagnosis?.all?.preemptable === false) return true;
  for (let i = 0; i < refusedCount; i++) if (rejected[i] === slot) return refusals[i]?.preemptable === false;
  return diagnosis?.others !== undefined;
}

function isLeavingForOthers({ pod, terminating }: PodInfo): boolean {
  const condition = conditionOf(pod.status?.conditions, 'DisruptionTarget');
  return terminating && condition?.status === 'True' && condition.reason === PREEMPTED;
}
