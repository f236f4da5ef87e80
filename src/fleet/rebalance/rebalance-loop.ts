import type { Random } from '#platform/base/random';
import type { Classification } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import { type ObservedNode, observedFleet } from './observed-fleet.ts';
import { type Bounds, type Method, planStep, type Spread, spreadOf } from './rebalancing.ts';

/** Desired move of a VM, by names. */
export interface NamedMove {
  readonly vm_id: string;
  readonly from_node: string;
  readonly to_node: string;
}

/** Result of a move. */
export interface MadeMove extends NamedMove {
  /** Current node of the VM. '' if it has none. */
  readonly actual_node: string;
  readonly success: boolean;
  readonly as_suggested: boolean;
  readonly error: string | null;
}

/** Cluster in which another component executes the moves at its own discretion. */
export interface LiveCluster {
  /** Returns metrics that are not older than the call. */
  observe(signal: AbortSignal): Promise<readonly ObservedNode[]>;
  /** Moves VMs. Resolves when each is placed again or known to have no node. */
  move(moves: readonly NamedMove[]): Promise<readonly MadeMove[]>;
}

export interface LoopStep {
  /** Number of the step, from 1. */
  readonly number: number;
  readonly nodes: readonly ObservedNode[];
  readonly verdict: Classification;
  readonly spread: Spread;
  /** Planned moves. Empty if no node is over-utilized, or nothing can be done. */
  readonly moves: readonly NamedMove[];
  /** Set if the maximum number of steps was reached before it. */
  readonly isBeyond: boolean;
}

export interface LoopDeps {
  readonly cluster: LiveCluster;
  readonly method: Method;
  readonly boundsFor: (fleet: FleetModel) => Bounds;
  readonly random: Random;
  /** Ends the loop after the current step. */
  readonly signal: AbortSignal;
  /** Called when a step is planned. `onMoved` is called with its results. */
  readonly onStep: (step: LoopStep) => void;
  readonly onMoved: (step: LoopStep, made: readonly MadeMove[]) => void;
}

/** Outcome: nothing is over-utilized, the planner finds nothing, the steps are used up, or the loop was interrupted. */
export type LoopOutcome = 'converged' | 'stalled' | 'capped' | 'interrupted';

export interface LoopRun {
  readonly outcome: LoopOutcome;
  /** Number of steps that planned moves. */
  readonly steps: number;
  /** Number of VMs that moved to another node, and of those that reached the suggested one. */
  readonly moved: number;
  readonly asSuggested: number;
  /** VMs that did not leave their node, and were not moved again. */
  readonly retained: readonly string[];
}

/**
 * Observes, plans and moves until nothing is over-utilized. The scheduler has the last word: a VM that it puts back on
 * its node would return again and again, so it is not moved anymore.
 */
export async function runRebalanceLoop(parts: LoopDeps): Promise<LoopRun> {
  const { cluster, signal, onStep, onMoved } = parts;
  const kept = new Set<string>();
  let [steps, moved, asSuggested] = [0, 0, 0];
  const ended = (outcome: LoopOutcome): LoopRun => ({ outcome, steps, moved, asSuggested, retained: [...kept] });
  while (true) {
    const nodes = await cluster.observe(signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (nodes === undefined || signal.aborted) return ended('interrupted');
    const step = decide(parts, steps + 1, nodes, kept);
    onStep(step);
    if (step.verdict.over.length === 0) return ended('converged');
    if (step.isBeyond) return ended('capped');
    if (step.moves.length === 0) return ended('stalled');
    const made = await cluster.move(step.moves);
    steps++;
    for (const { vm_id, from_node, actual_node, success, as_suggested } of made) {
      if (actual_node === from_node || actual_node === '') kept.add(vm_id);
      else if (success) moved++;
      if (as_suggested) asSuggested++;
    }
    onMoved(step, made);
  }
}

/** Plans a step from an observation. */
export function decide(
  { method, boundsFor, random }: Pick<LoopDeps, 'method' | 'boundsFor' | 'random'>,
  number: number,
  nodes: readonly ObservedNode[],
  kept: ReadonlySet<string> = new Set(),
): LoopStep {
  const { fleet, load } = observedFleet(nodes, kept);
  const bounds = boundsFor(fleet);
  const { verdict, moves } = planStep(fleet, method, bounds, random, load);
  const isBeyond = number > bounds.steps;
  const planned = isBeyond ? [] : moves.map((move) => toNamedMove(fleet, move));
  return { number, nodes, verdict, spread: spreadOf(load, verdict), moves: planned, isBeyond };
}

/** Converts a move to names. */
function toNamedMove(fleet: FleetModel, { vm, from, to }: Move): NamedMove {
  const name = (node: number) => fleet.nodes[node]?.name ?? '';
  return { vm_id: fleet.vms[vm]?.id ?? '', from_node: name(from), to_node: name(to) };
}
