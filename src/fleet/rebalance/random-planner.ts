import type { FleetModel } from './fleet-model.ts';
import { imbalance, Objective } from './objective.ts';
import { type Planner, pickMoves } from './planner.ts';

/** Moves any VM of an over-utilized node to any under-utilized node that has the memory for it. */
export const randomPlanner: Planner = {
  id: 'random',
  plan: (fleet, situation) =>
    pickMoves(fleet, situation, (from) => {
      // Every VM is tried at most once, so that a full fleet does not cause an endless search.
      for (const vm of situation.random.shuffle(fleet.on(from))) {
        const roomy = situation.verdict.under.filter(
          (node) => fleet.fits(vm, node) && isWorthCost(fleet, vm, node, situation.moveCost),
        );
        if (roomy.length > 0) return { vm, from, to: situation.random.pick(roomy) };
      }
      return undefined;
    }),
};

/** Reports whether a move gains more than it costs. Without a cost, any move does. */
function isWorthCost(fleet: FleetModel, vm: number, to: number, moveCost: number): boolean {
  if (moveCost === 0) return true;
  const tension = new Objective(fleet, imbalance);
  return tension.leaving(vm) + tension.arriving(vm, to) + moveCost * tension.copied(vm, to) < 0;
}
