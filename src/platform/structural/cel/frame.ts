import { STEP_COST } from './call-cost.ts';
import { CostExceededError, type EvaluationError, type StepCounter, type Value } from './values.ts';

/** One evaluation: the values of all names, and what it has cost so far. */
export class Frame implements StepCounter {
  /** Values by slot; what a loop has computed may be an error that a later item overrules. */
  readonly slots: (Value | EvaluationError)[];
  cost = 0;
  readonly #limit: number;

  /** The values of the environment come first; the names that the expression itself makes have no value yet. */
  constructor(values: readonly Value[], slots: number, limit: number) {
    // Only those are ever written, so that without any the values need no copy.
    this.slots = slots === values.length ? (values as Value[]) : values.slice();
    while (this.slots.length < slots) this.slots.push(null);
    this.#limit = limit;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceededError();
  }

  counter(steps: number): void {
    this.spend(steps * STEP_COST);
  }
}

/** A compiled expression: a tree of closures, which runs several times faster than walking the syntax. */
export type Code = (frame: Frame) => Value;
