import { type Bounds, type Method, planStep } from '#fleet/rebalance/rebalancing';
import type { Random } from '#platform/base/random';
import type { FleetView } from './fleet-view.ts';
import type { Mover } from './mover.ts';

export interface RebalancerParts {
  readonly method: Method;
  readonly bounds: Bounds;
  /** Who says where a machine goes: the plan, or the scheduler. */
  readonly destinations: 'planner' | 'scheduler';
  readonly view: FleetView;
  readonly mover: Mover;
  readonly random: Random;
}

/** What one look at the fleet found. */
export interface Rebalanced {
  readonly over: number;
  readonly planned: number;
}

/** Looks at the fleet and lets machines move that a method would move; those on their way are left alone. */
export class Rebalancer {
  readonly #parts: RebalancerParts;

  constructor(parts: RebalancerParts) {
    this.#parts = parts;
  }

  step(): Rebalanced {
    const { method, bounds, destinations, view, mover, random } = this.#parts;
    const fleet = view.fleet();
    const { verdict, moves } = planStep(fleet, method, bounds, random);
    let planned = 0;
    for (const { vm, to } of moves) {
      const [id = '', target = ''] = [fleet.vms[vm]?.id, fleet.nodes[to]?.name];
      if (mover.isMoving(id)) continue;
      mover.move(id, destinations === 'planner' ? target : undefined, 'rebalance');
      planned++;
    }
    return { over: verdict.over.length, planned };
  }
}
