import type { Random } from '#platform/base/random';
import type { Classification } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import { type Hindrances, heldVms } from './held-vms.ts';
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
  /** Set if the VM has left its node for another one. */
  readonly success: boolean;
  readonly as_suggested: boolean;
  readonly error: string | null;
}

/** Cluster in which another component executes the moves. It may choose other destinations. */
export interface LiveCluster {
  /** Returns metrics that are not older than the call. */
  observe(signal: AbortSignal): Promise<readonly ObservedNode[]>;
  /** Moves VMs. Resolves when each is placed again or known to have no node. */
  move(moves: readonly NamedMove[]): Promise<readonly MadeMove[]>;
}

export interface LoopStep {
  /** Number of the step, from 1. */
  readonly number: number;
  /** Nodes that are compared: all that are ready. */
  readonly nodes: readonly ObservedNode[];
  readonly verdict: Classification;
  readonly spread: Spread;
  /** Planned moves. Empty if no node is over-utilized, or nothing can be done. */
  readonly moves: readonly NamedMove[];
  /** Set if the maximum number of steps was reached before it. */
  readonly isBeyond: boolean;
  /** Nodes and VMs that the plan had to leave out. */
  readonly hindrances: Hindrances;
}

export interface LoopDeps {
  readonly cluster: LiveCluster;
  readonly method: Method;
  readonly boundsFor: (fleet: FleetModel) => Bounds;
  readonly random: Random;
  /** Time during which a VM that has moved does not move again. */
  readonly cooldownMs: number;
  /** Ends the loop after the current step. */
  readonly signal: AbortSignal;
  /** Called when a step is planned. `onMoved` is called with its results. */
  readonly onStep: (step: LoopStep) => void;
  readonly onMoved: (step: LoopStep, made: readonly MadeMove[]) => void;
}

/**
 * Outcome: nothing is over-utilized, the planner finds nothing, the steps are used up, the loop was interrupted, or
 * nothing is over-utilized only because VMs have lost their nodes.
 */
export type LoopOutcome = 'converged' | 'stalled' | 'capped' | 'interrupted' | 'unplaced';

export interface LoopRun {
  readonly outcome: LoopOutcome;
  /** Number of steps that planned moves. */
  readonly steps: number;
  /** Number of VMs that moved to another node, and of those that reached the suggested one. */
  readonly moved: number;
  readonly asSuggested: number;
  /** VMs that did not leave their node, and were not moved again. */
  readonly retained: readonly string[];
  /** VMs that left their node and have none now. */
  readonly unplaced: readonly string[];
  /** Last observation. Absent if there was none. */
  readonly last?: LoopStep;
}

/**
 * Observes, plans and moves until nothing is over-utilized. A VM that does not leave its node would be planned again
 * and again, so it is not moved anymore.
 */
export async function runRebalanceLoop(parts: LoopDeps): Promise<LoopRun> {
  const { cluster, signal, onStep, onMoved } = parts;
  const tally = new Tally();
  while (true) {
    const nodes = await cluster.observe(signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (nodes === undefined || signal.aborted) return tally.ended('interrupted');
    const step = decide(parts, tally.steps + 1, nodes, tally.kept);
    tally.observe(step, nodes);
    onStep(step);
    const outcome = outcomeOf(step, tally.lost.size);
    if (outcome !== undefined) return tally.ended(outcome);
    const made = await cluster.move(step.moves);
    tally.count(made);
    onMoved(step, made);
  }
}

function outcomeOf({ nodes, verdict, isBeyond, moves }: LoopStep, lost: number): LoopOutcome | undefined {
  // Without any node that is ready, nothing is known about the load.
  if (nodes.length === 0) return 'stalled';
  if (verdict.over.length === 0) return lost === 0 ? 'converged' : 'unplaced';
  if (isBeyond) return 'capped';
  return moves.length === 0 ? 'stalled' : undefined;
}

/** Counts what became of the moves. */
class Tally {
  /** VMs that did not move. */
  readonly kept = new Set<string>();
  /** VMs that have no node since they were moved. */
  readonly lost = new Set<string>();
  steps = 0;
  #moved = 0;
  #asSuggested = 0;
  #last: LoopStep | undefined;

  observe(step: LoopStep, nodes: readonly ObservedNode[]): void {
    this.#last = step;
    if (this.lost.size === 0) return;
    for (const { vms } of nodes) for (const { id } of vms) this.lost.delete(id);
  }

  count(made: readonly MadeMove[]): void {
    this.steps++;
    for (const { vm_id, actual_node, success, as_suggested } of made) {
      if (success) this.#moved++;
      else this.kept.add(vm_id);
      if (success && as_suggested) this.#asSuggested++;
      if (actual_node === '') this.lost.add(vm_id);
    }
  }

  ended(outcome: LoopOutcome): LoopRun {
    const counts = { steps: this.steps, moved: this.#moved, asSuggested: this.#asSuggested };
    const last = this.#last === undefined ? {} : { last: this.#last };
    return { outcome, ...counts, retained: [...this.kept], unplaced: [...this.lost], ...last };
  }
}

/** Plans a step from an observation. */
export function decide(
  { method, boundsFor, random, cooldownMs }: Pick<LoopDeps, 'method' | 'boundsFor' | 'random' | 'cooldownMs'>,
  number: number,
  observed: readonly ObservedNode[],
  kept: ReadonlySet<string> = new Set(),
): LoopStep {
  const nodes = observed.filter(({ isReady = true }) => isReady);
  const { held, hindrances } = heldVms(observed, kept, cooldownMs);
  const { fleet, load } = observedFleet(nodes, held);
  const bounds = boundsFor(fleet);
  const { verdict, moves } = planStep(fleet, method, bounds, random, load);
  const isBeyond = number > bounds.steps;
  const planned = isBeyond ? [] : moves.map((move) => toNamedMove(fleet, move));
  return { number, nodes, verdict, spread: spreadOf(load, verdict), moves: planned, isBeyond, hindrances };
}

/** Converts a move to names. */
function toNamedMove(fleet: FleetModel, { vm, from, to }: Move): NamedMove {
  const name = (node: number) => fleet.nodes[node]?.name ?? '';
  return { vm_id: fleet.vms[vm]?.id ?? '', from_node: name(from), to_node: name(to) };
}
