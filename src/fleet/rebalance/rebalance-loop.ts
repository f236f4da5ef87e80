import type { Random } from '#platform/base/random';
import type { Classification } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import { type ObservedNode, observedFleet } from './observed-fleet.ts';
import { type Bounds, type Method, planStep, type Spread, spreadOf } from './rebalancing.ts';

/** A machine that is to go somewhere, by the names of things. */
export interface NamedMove {
  readonly vm_id: string;
  readonly from_node: string;
  readonly to_node: string;
}

/** What became of it. */
export interface MadeMove extends NamedMove {
  /** Where it is now; '' where it is nowhere. */
  readonly actual_node: string;
  readonly success: boolean;
  readonly as_suggested: boolean;
  readonly error: string | null;
}

/** A cluster whose machines somebody else moves, as he sees fit. */
export interface LiveCluster {
  /** What is measured by now: nothing that is older than the call. */
  observe(signal: AbortSignal): Promise<readonly ObservedNode[]>;
  /** Settles when each machine has a place again or is known to have none. */
  move(moves: readonly NamedMove[]): Promise<readonly MadeMove[]>;
}

export interface LoopStep {
  /** From 1 on. */
  readonly number: number;
  readonly nodes: readonly ObservedNode[];
  readonly verdict: Classification;
  readonly spread: Spread;
  /** What is to be done; nothing where no node is over-utilised, or nothing can be. */
  readonly moves: readonly NamedMove[];
  /** Whether enough steps were taken before it. */
  readonly isBeyond: boolean;
}

export interface LoopDeps {
  readonly cluster: LiveCluster;
  readonly method: Method;
  readonly boundsFor: (fleet: FleetModel) => Bounds;
  readonly random: Random;
  /** Enough after the step that is under way. */
  readonly signal: AbortSignal;
  /** Called when it is known what a step does, and again with what became of that. */
  readonly onStep: (step: LoopStep) => void;
  readonly onMoved: (step: LoopStep, made: readonly MadeMove[]) => void;
}

/** How it ended: nothing over-utilised, nothing that the planner could do, steps used up, or somebody had enough. */
export type LoopOutcome = 'converged' | 'stalled' | 'capped' | 'interrupted';

export interface LoopRun {
  readonly outcome: LoopOutcome;
  /** Steps in which something was to move. */
  readonly steps: number;
  /** Machines that went to another node, and those of them that went where they were sent. */
  readonly moved: number;
  readonly asSuggested: number;
  /** Machines that did not leave their node, and were left alone from then on. */
  readonly retained: readonly string[];
}

/**
 * Looks, decides and acts until nothing is over-utilised. The scheduler has the last word about each machine: one that
 * it puts back where it came from would come back again and again, so that it is left alone from then on.
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

/** What is to be done about what was observed. */
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

/** What a plan says, by the names of things. */
function toNamedMove(fleet: FleetModel, { vm, from, to }: Move): NamedMove {
  const name = (node: number) => fleet.nodes[node]?.name ?? '';
  return { vm_id: fleet.vms[vm]?.id ?? '', from_node: name(from), to_node: name(to) };
}
