import type { FleetModel, Move } from './fleet-model.ts';
import { imbalance, Objective } from './objective.ts';
import type { PlannerInput } from './planner.ts';

/**
 * Maximum number of destinations. More cannot be better for most VMs, and checking thousands for each would take long.
 */
const DESTINATIONS = 64;

/** Finds moves from the most over-utilized nodes that would even out a fleet. Only two nodes are evaluated for each. */
export class PromisingMoves {
  readonly #fleet: FleetModel;
  readonly #perNode: number;
  readonly #moveCost: number;
  readonly #sources: readonly number[];
  readonly #destinations: readonly number[];

  constructor(fleet: FleetModel, { verdict, limits, moveCost }: PlannerInput) {
    this.#fleet = fleet;
    this.#perNode = limits.perNode;
    this.#moveCost = moveCost;
    this.#sources = verdict.over.slice(0, limits.perStep);
    const { now } = new Objective(fleet, imbalance);
    this.#destinations = fleet.nodes
      .flatMap(({ isClosed = false }, node) => (isClosed || verdict.buckets[node] === 'over' ? [] : [node]))
      .sort((a, b) => (now[a] as number) - (now[b] as number))
      .slice(0, DESTINATIONS);
  }

  /** Returns the best `count` moves beside a plan that is already applied to the fleet, one for each VM. */
  beside(plan: readonly Move[], count: number): readonly Move[] {
    const tension = new Objective(this.#fleet, imbalance);
    const found: { readonly move: Move; readonly difference: number }[] = [];
    for (const from of this.#sources) {
      if (plan.filter((each) => each.from === from).length >= this.#perNode) continue;
      for (const vm of this.#fleet.on(from)) {
        const best = this.#destinationOf(vm, tension);
        if (best !== undefined) found.push({ move: { vm, from, to: best.to }, difference: best.difference });
      }
    }
    found.sort((a, b) => a.difference - b.difference || a.move.vm - b.move.vm);
    return found.slice(0, count).map(({ move }) => move);
  }

  #destinationOf(vm: number, tension: Objective): { readonly to: number; readonly difference: number } | undefined {
    let best = -1;
    let lowest = 0;
    const leaving = tension.leaving(vm);
    for (const to of this.#destinations) {
      const difference = leaving + tension.arriving(vm, to) + this.#moveCost * tension.copied(vm, to);
      if (difference < lowest && this.#fleet.fits(vm, to)) [best, lowest] = [to, difference];
    }
    return best < 0 ? undefined : { to: best, difference: lowest };
  }
}
