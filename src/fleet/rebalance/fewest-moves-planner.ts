import { classify } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import type { Planner, PlannerInput } from './planner.ts';
import { PromisingMoves } from './promising-moves.ts';

/** How many of the most promising moves are judged before one is taken, and how many are kept for exchanges. */
const WIDTH = 8;
const POOL = 32;
const WORTHWHILE = 1e-9;

/**
 * Looks for the smallest set of moves after which the algorithm itself sees the least over-utilisation: builds a plan,
 * leaves out what it can do without, then exchanges moves by chance while the budget lasts.
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

  /** Adds the best of the promising moves until nothing is over-utilised or nothing helps. */
  build(): void {
    let promising: readonly Move[] = this.#pool.slice(0, WIDTH);
    while (this.moves.length < this.#situation.limits.perStep && this.#excess > WORTHWHILE) {
      if (!this.#improve(promising)) return;
      promising = this.#promising.beside(this.moves, WIDTH);
    }
  }

  /**
   * Makes the fleet more even where the algorithm sees no difference: its scores may be as high as they get, or shares
   * of the highest.
   */
  grope(): void {
    while (this.moves.length < this.#situation.limits.perStep) {
      const [move] = this.#promising.beside(this.moves, 1);
      if (move === undefined) return;
      this.#take([...this.moves, move], this.#excess);
    }
  }

  /** Leaves out moves that change nothing for the better. */
  prune(): void {
    for (const move of this.moves) {
      const without = this.moves.filter((each) => each !== move);
      if (without.length === 0) return;
      const excess = this.#judge(without);
      if (excess <= this.#excess + WORTHWHILE) this.#take(without, excess);
    }
  }

  /** Puts another promising move in the place of one, both drawn by chance, and keeps what is better. */
  exchange(): void {
    const { random, limits } = this.#situation;
    while (this.#left > 0 && this.moves.length > 0 && this.#excess > WORTHWHILE) {
      const place = random.int(0, this.moves.length - 1);
      const others = this.moves.filter((_, at) => at !== place);
      const move = random.pick(this.#pool);
      const fromThere = others.filter((each) => each.from === move.from).length;
      // What cannot be tried costs too, so that the search ends.
      if (fromThere >= limits.perNode || others.some((each) => each.vm === move.vm)) this.#left--;
      else {
        const plan = [...others, move];
        const excess = this.#judge(plan);
        if (excess < this.#excess - WORTHWHILE) this.#take(plan, excess);
      }
    }
  }

  /** Adds the move after which least is over-utilised, where that is less than now. */
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

  /** How much is over-utilised after a plan, as the algorithm sees it: without end where it does not fit, or unjudged. */
  #judge(plan: readonly Move[]): number {
    if (this.#left-- <= 0) return Number.POSITIVE_INFINITY;
    const { score, mode } = this.#situation;
    const fits = this.#adopt(this.moves, plan);
    const { excess } = classify(score(this.#fleet.load()), mode);
    this.#adopt(plan, this.moves);
    return fits ? excess : Number.POSITIVE_INFINITY;
  }

  /** Puts the fleet from the state after one plan into that after another; tells whether every machine fitted. */
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
