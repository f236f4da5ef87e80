import { classify } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import type { Planner, PlannerInput } from './planner.ts';
import { PromisingMoves } from './promising-moves.ts';

/** Number of the most promising moves to evaluate before one is taken, and to retain for exchanges. */
const WIDTH = 8;
const POOL = 32;
const WORTHWHILE = 1e-9;

/**
 * Searches the smallest set of moves that leaves the least over-utilization by the algorithm's own score. It builds a
 * plan, prunes it, then exchanges random moves while the budget lasts.
 */
export const fewestMovesPlanner: Planner = {
  id: 'fewest-moves',
  plan: (fleet, situation) => {
    const search = new Search(fleet, situation);
    search.build();
    if (search.moves.length === 0) search.grope();
    else {
      search.prune();
      search.exchange();
    }
    return search.moves;
  },
};

class Search {
  moves: readonly Move[] = [];
  readonly #fleet: FleetModel;
  readonly #situation: PlannerInput;
  readonly #promising: PromisingMoves;
  readonly #pool: readonly Move[];
  #excess: number;
  #left: number;

  constructor(fleet: FleetModel, situation: PlannerInput) {
    this.#fleet = fleet;
    this.#situation = situation;
    this.#excess = situation.verdict.excess;
    this.#left = situation.budget;
    this.#promising = new PromisingMoves(fleet, situation);
    this.#pool = this.#promising.beside([], POOL);
  }

  /** Adds the best of the promising moves until nothing is over-utilized or nothing helps. */
  build(): void {
    let promising: readonly Move[] = this.#pool.slice(0, WIDTH);
    while (this.moves.length < this.#situation.limits.perStep && this.#excess > WORTHWHILE) {
      if (!this.#improve(promising)) return;
      promising = this.#promising.beside(this.moves, WIDTH);
    }
  }

  /**
   * Evens out the fleet where the algorithm sees no difference, because its scores are saturated or relative to the
   * highest.
   */
  grope(): void {
    while (this.moves.length < this.#situation.limits.perStep) {
      const [move] = this.#promising.beside(this.moves, 1);
      if (move === undefined) return;
      this.#take([...this.moves, move], this.#excess);
    }
  }

  /** Drops moves that do not improve the result. */
  prune(): void {
    for (const move of this.moves) {
      const without = this.moves.filter((each) => each !== move);
      if (without.length === 0) return;
      const excess = this.#judge(without);
      if (excess <= this.#excess + WORTHWHILE) this.#take(without, excess);
    }
  }

  /** Replaces a random move by another random promising one, and keeps the better plan. */
  exchange(): void {
    const { random, limits } = this.#situation;
    while (this.#left > 0 && this.moves.length > 0 && this.#excess > WORTHWHILE) {
      const place = random.int(0, this.moves.length - 1);
      const others = this.moves.filter((_, at) => at !== place);
      const move = random.pick(this.#pool);
      const fromThere = others.filter((each) => each.from === move.from).length;
      // Impossible exchanges also use up the budget, so that the search ends.
      if (fromThere >= limits.perNode || others.some((each) => each.vm === move.vm)) this.#left--;
      else {
        const plan = [...others, move];
        const excess = this.#judge(plan);
        if (excess < this.#excess - WORTHWHILE) this.#take(plan, excess);
      }
    }
  }

  /** Adds the move that leaves the least over-utilization, if that is less than now. */
  #improve(candidates: readonly Move[]): boolean {
    let best: readonly Move[] | undefined;
    let lowest = this.#excess - WORTHWHILE;
    for (const move of candidates) {
      const plan = [...this.moves, move];
      const excess = this.#judge(plan);
      if (excess < lowest) [best, lowest] = [plan, excess];
    }
    if (best !== undefined) this.#take(best, lowest);
    return best !== undefined;
  }

  #take(plan: readonly Move[], excess: number): void {
    this.#adopt(this.moves, plan);
    this.moves = plan;
    this.#excess = excess;
  }

  /**
   * Returns the over-utilization after a plan by the algorithm's score. It is infinite if the plan does not fit or the
   * budget is used up.
   */
  #judge(plan: readonly Move[]): number {
    if (this.#left-- <= 0) return Number.POSITIVE_INFINITY;
    const { score, mode } = this.#situation;
    const fits = this.#adopt(this.moves, plan);
    const { excess } = classify(score(this.#fleet.load()), mode);
    this.#adopt(plan, this.moves);
    return fits ? excess : Number.POSITIVE_INFINITY;
  }

  /** Changes the fleet from the state after one plan to that after another. Reports whether every VM fitted. */
  #adopt(before: readonly Move[], after: readonly Move[]): boolean {
    let fits = true;
    for (const move of before) if (!after.includes(move)) this.#fleet.move(move.vm, move.from);
    for (const move of after) {
      if (before.includes(move)) continue;
      fits &&= this.#fleet.fits(move.vm, move.to);
      this.#fleet.move(move.vm, move.to);
    }
    return fits;
  }
}
