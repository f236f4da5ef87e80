import type { Clock } from '#platform/base/clock';

export interface FairLimits {
  /** Maximum amount that all flows together may hold at a time. */
  readonly total: number;
  /** Maximum amount that one flow may hold at a time. */
  readonly perFlow: number;
  /** Maximum number of waiting requests of one flow. */
  readonly maxWaiting: number;
  /** Maximum time that a request waits. */
  readonly maxWaitMs: number;
}

/** Reason why a request was not admitted. */
export type Rejection = 'queue-full' | 'time-out';

/** Thrown if a request was not admitted; it may be retried later. */
export class FlowLimitError extends Error {
  override readonly name = 'FlowLimitError';
  readonly reason: Rejection;

  constructor(reason: Rejection) {
    super(`rejected by flow control: ${reason}`);
    this.reason = reason;
  }
}

interface Waiter {
  readonly amount: number;
  readonly admit: () => void;
}

interface FlowState {
  held: number;
  readonly waiting: Set<Waiter>;
}

/**
 * Limits what flows hold at a time, each alone and all together. Waiting requests are admitted one flow after the
 * other, so that a flow with many requests delays only its own.
 */
export class FairLimiter {
  readonly #limits: FairLimits;
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #flows = new Map<string, FlowState>();
  /** Flows whose first waiter fits their own limit, in the order in which they are served. */
  readonly #eligible = new Map<string, FlowState>();
  #held = 0;
  #waiting = 0;

  constructor(limits: FairLimits, clock: Pick<Clock, 'timer'>) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Returns the amount that all flows hold now. */
  get held(): number {
    return this.#held;
  }

  /** Returns the number of requests that wait now. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Acquires an amount at once (undefined), or when the promise resolves. Throws, or rejects with, a FlowLimitError if
   * the flow has too many waiting requests or the wait takes too long. An amount above the limit of a flow counts as
   * that limit.
   */
  acquire(name: string, desired = 1): Promise<void> | undefined {
    const amount = Math.min(desired, this.#limits.perFlow);
    const flow = this.#flowOf(name);
    if (flow.waiting.size === 0 && this.#fits(flow, amount) && this.#held + amount <= this.#limits.total) {
      this.#take(flow, amount);
      return undefined;
    }
    if (flow.waiting.size >= this.#limits.maxWaiting) throw new FlowLimitError('queue-full');
    return new Promise((resolve, reject) => this.#wait(name, flow, amount, resolve, reject));
  }

  /** Releases an acquired amount. */
  release(name: string, desired = 1): void {
    const flow = this.#flowOf(name);
    const amount = Math.min(desired, this.#limits.perFlow);
    flow.held -= amount;
    this.#held -= amount;
    this.#review(name, flow);
    this.#admit();
  }

  #wait(name: string, flow: FlowState, amount: number, resolve: () => void, reject: (error: Error) => void): void {
    const leave = (): void => {
      flow.waiting.delete(waiter);
      this.#waiting--;
      this.#review(name, flow);
    };
    const timer = this.#clock.timer(this.#limits.maxWaitMs, () => {
      leave();
      reject(new FlowLimitError('time-out'));
      this.#admit();
    });
    const waiter: Waiter = {
      amount,
      admit: () => {
        timer.cancel();
        leave();
        resolve();
      },
    };
    flow.waiting.add(waiter);
    this.#waiting++;
    this.#review(name, flow);
    this.#admit();
  }

  /** Admits waiting requests that fit, one of each flow in turn. */
  #admit(): void {
    for (const [name, flow] of this.#eligible) {
      const [first] = flow.waiting;
      if (first === undefined) throw new Error(`flow ${name} is eligible and has no request waiting`);
      if (this.#held + first.amount > this.#limits.total) return;
      this.#take(flow, first.amount);
      this.#eligible.delete(name);
      first.admit();
    }
  }

  /** Updates the eligible flows, and drops flows that hold and request nothing. */
  #review(name: string, flow: FlowState): void {
    const [first] = flow.waiting;
    if (first === undefined || !this.#fits(flow, first.amount)) this.#eligible.delete(name);
    else if (!this.#eligible.has(name)) this.#eligible.set(name, flow);
    if (flow.held === 0 && first === undefined) this.#flows.delete(name);
  }

  #fits(flow: FlowState, amount: number): boolean {
    return flow.held + amount <= this.#limits.perFlow;
  }

  #take(flow: FlowState, amount: number): void {
    flow.held += amount;
    this.#held += amount;
  }

  #flowOf(name: string): FlowState {
    let flow = this.#flows.get(name);
    if (flow === undefined) {
      flow = { held: 0, waiting: new Set() };
      this.#flows.set(name, flow);
    }
    return flow;
  }
}
