import { type Bounds, type Method, planStep } from '#fleet/rebalance/rebalancing';
import type { Random } from '#platform/base/random';
import type { FleetView } from './fleet-view.ts';
import type { Migrator } from './migrator.ts';

export interface RebalancerDeps {
  readonly method: Method;
  readonly bounds: Bounds;
  /** Who says where a machine goes: the plan, or the scheduler. */
  readonly destinations: 'planner' | 'scheduler';
  readonly view: FleetView;
  readonly migrator: Migrator;
  readonly random: Random;
}

/** What one look at the fleet found. */
export interface RebalanceResult {
  readonly over: number;
  readonly planned: number;
}

/** Looks at the fleet and lets machines move that a method would move; those on their way are left alone. */
export class Rebalancer {
  readonly #parts: RebalancerDeps;

  constructor(parts: RebalancerDeps) {
    this.#parts = parts;
  }

  step(): RebalanceResult {
    const { method, bounds, destinations, view, migrator, random } = this.#parts;
    const fleet = view.fleet();
    const { verdict, moves } = planStep(fleet, method, bounds, random);
    let planned = 0;
    for (const { vm, to } of moves) {
      const [id = '', target = ''] = [fleet.vms[vm]?.id, fleet.nodes[to]?.name];
      if (migrator.isMigrating(id)) continue;
      migrator.move(id, destinations === 'planner' ? target : undefined, 'rebalance');
      planned++;
    }
    return { over: verdict.over.length, planned };
  }
}
