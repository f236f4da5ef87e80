import { type Bounds, type Method, planStep } from '#fleet/rebalance/rebalancing';
import type { Random } from '#platform/base/random';
import type { FleetView } from './fleet-view.ts';
import type { Migrator } from './migrator.ts';

export interface RebalancerDeps {
  readonly method: Method;
  readonly bounds: Bounds;
  /** Component that decides on destinations: the planner or the scheduler. */
  readonly destinations: 'planner' | 'scheduler';
  readonly view: FleetView;
  readonly migrator: Migrator;
  readonly random: Random;
}

/** Result of one rebalancing step. */
export interface RebalanceResult {
  readonly over: number;
  readonly planned: number;
}

/** Plans with a method and migrates VMs. Those that are already migrating are skipped. */
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
