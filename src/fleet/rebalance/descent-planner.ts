import type { Bucket } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import { imbalance, type NodeCost, Objective, strain } from './objective.ts';
import { type Planner, pickMoves } from './planner.ts';

/** Less than this is rounding, and chasing it would move machines for ever. */
const WORTHWHILE = 1e-9;

/**
 * Takes the move that lowers the tension most, again and again. Each move lowers it, so that no machine is sent in
 * circles.
 */
const descent = (id: string, potential: NodeCost): Planner => ({
  id,
  plan: (fleet, situation) =>
    pickMoves(fleet, situation, (source) =>
      steepest(fleet, new Objective(fleet, potential), situation.verdict.buckets, source),
    ),
});

/** The machine and destination that lower the tension most; over-utilised nodes are no destinations. */
function steepest(fleet: FleetModel, tension: Objective, buckets: readonly Bucket[], from: number): Move | undefined {
  let best: Move | undefined;
  let lowest = -WORTHWHILE;
  for (const vm of fleet.on(from)) {
    const leaving = tension.leaving(vm);
    // No arrival lowers the tension, so that a leave this small cannot win.
    if (leaving >= lowest) continue;
    for (let to = 0; to < buckets.length; to++) {
      if (buckets[to] === 'over') continue;
      const difference = leaving + tension.arriving(vm, to);
      if (difference < lowest && fleet.fits(vm, to)) {
        lowest = difference;
        best = { vm, from, to };
      }
    }
  }
  return best;
}

/** The machine and the node that make CPU and memory most even. */
export const bestFitPlanner = descent('best-fit', imbalance);

/** The machine and the node that relieve most pressure. */
export const pressurePlanner = descent('psi-aware', strain);
