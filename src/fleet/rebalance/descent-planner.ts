import type { FleetModel, Move } from './fleet-model.ts';
import { imbalance, type NodeCost, Objective, strain } from './objective.ts';
import { type Planner, type PlannerInput, pickMoves } from './planner.ts';

/** Minimum improvement. Less is rounding, and pursuing it would move VMs forever. */
const WORTHWHILE = 1e-9;

/** Takes the move that lowers the objective most, repeatedly. Each move lowers it, so that no VM moves in circles. */
const descent = (id: string, potential: NodeCost): Planner => ({
  id,
  plan: (fleet, situation) =>
    pickMoves(fleet, situation, (source) => steepest(fleet, new Objective(fleet, potential), situation, source)),
});

/** Returns the VM and destination that lower the objective most. Over-utilized nodes are no destinations. */
function steepest(
  fleet: FleetModel,
  tension: Objective,
  { verdict: { buckets }, moveCost }: PlannerInput,
  from: number,
): Move | undefined {
  let best: Move | undefined;
  let lowest = -WORTHWHILE;
  for (const vm of fleet.on(from)) {
    const leaving = tension.leaving(vm);
    // No arrival lowers the objective, so that such a small gain from leaving cannot win.
    if (leaving >= lowest) continue;
    for (let to = 0; to < buckets.length; to++) {
      if (buckets[to] === 'over') continue;
      const difference = leaving + tension.arriving(vm, to) + moveCost * tension.copied(vm, to);
      if (difference < lowest && fleet.fits(vm, to)) {
        lowest = difference;
        best = { vm, from, to };
      }
    }
  }
  return best;
}

/** Picks the VM and node that make CPU and memory most even. */
export const bestFitPlanner = descent('best-fit', imbalance);

/** Picks the VM and node that relieve the most pressure. */
export const pressurePlanner = descent('psi-aware', strain);
