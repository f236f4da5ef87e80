import { STEP_COST } from './call-cost.ts';
import { CostExceededError, type EvaluationError, type StepCounter, type Value } from './values.ts';

/** State of one evaluation: the values of all names, and the cost so far. */
export class Frame implements StepCounter {
  /** Values by slot. The accumulator of a loop may be an error that a later item overrules. */
  readonly slots: (Value | EvaluationError)[];
  cost = 0;
  readonly #limit: number;

  /**
   * Creates a frame. The values of the environment come first; names that the expression itself binds have no value
   * yet.
   */
  constructor(values: readonly Value[], slots: number, limit: number) {
    // Only bound names are ever written, so that without any the values need no copy.
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

/** Compiled expression: a tree of closures, which runs several times faster than walking the syntax. */
export type Code = (frame: Frame) => Value;
