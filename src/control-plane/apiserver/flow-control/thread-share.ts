import type { Clock } from '#platform/base/clock';
import { clientGone } from '../api-error.ts';

/** Work that a flow may do in one turn of the event loop without waiting: about 3 ms (see WORK in work.ts). */
const ALLOWANCE = 64 * 1024;
/** Work of waiting flows that is admitted in one turn: about 13 ms. */
const SLICE = 256 * 1024;
/** Time after which a slice admits no more work: estimates are wrong where a collector or a cold function adds to it. */
const MAX_SLICE_MS = 12;
/** Microtasks after which admitted work has started, however many functions await it. */
const HOPS = 4;
const MICROTASK = Promise.resolve();
/** Work of flows that never wait which is long enough to let others run first. */
const EXEMPT = 32 * 1024;
/** Turns between two slices: a small request takes about this many from its first byte to its response. */
const ROUNDS = 4;
/** Maximum pause between two slices. */
const MAX_PAUSE_MS = 50;

interface Piece {
  readonly units: number;
  readonly go: () => void;
  readonly isGone: IsGone;
  readonly drop: () => void;
}

/** Reports whether nobody waits for the result of some work any more. */
export type IsGone = () => boolean;

/**
 * Schedules work of a flow, undefined for one that never waits. A returned promise must be awaited before the work is
 * done.
 */
export interface Thread {
  spend(name: string | undefined, units: number): Promise<void> | undefined;
}

const isNeverGone: IsGone = () => false;

interface FlowShare {
  /** Work done in this turn without waiting. */
  spent: number;
  /** Work done since the flow started to wait, which decides who is next. */
  virtual: number;
  readonly queue: Piece[];
}

/**
 * Shares the one thread between flows. Work that fits a flow's allowance runs at once; more of it waits for a turn of
 * the event loop, and the flow that has used least goes first. While others are active, waiting work pauses after each
 * slice for as long as that took: it has half of the thread, and a flow that sends little hardly ever waits.
 */
export class ThreadShare implements Thread {
  readonly #clock: Pick<Clock, 'monotonic' | 'timer' | 'turn'>;
  readonly #flows = new Map<string, FlowShare>();
  /** Number of requests of each flow that are being executed; undefined is the key of those that never wait. */
  readonly #present = new Map<string | undefined, number>();
  #virtual = 0;
  #exemptWork = false;
  #armed = false;
  #sliceBegan: number | undefined;

  /** A clock that is moved manually has no turns, so that nothing waits. */
  constructor(clock: Pick<Clock, 'monotonic' | 'timer' | 'turn'>) {
    this.#clock = clock;
  }

  /** Returns the thread for one request. Its work is rejected with an ApiError once its client is gone. */
  of(isGone: IsGone): Thread {
    return {
      spend: (name, units) => {
        if (isGone()) throw clientGone();
        return this.spend(name, units, isGone);
      },
    };
  }

  spend(name: string | undefined, units: number, isGone = isNeverGone): Promise<void> | undefined {
    if (this.#clock.turn === undefined) return undefined;
    if (name === undefined) {
      this.#exemptWork = true;
      // A flow that never waits still lets others run first before long work.
      return units < EXEMPT ? undefined : this.#clock.turn();
    }
    const flow = this.#flowOf(name);
    this.#arm();
    if (flow.queue.length === 0 && flow.spent + units <= ALLOWANCE) {
      flow.spent += units;
      return undefined;
    }
    if (flow.queue.length === 0) flow.virtual = Math.max(flow.virtual, this.#virtual);
    return new Promise((go, reject) => flow.queue.push({ units, go, isGone, drop: () => reject(clientGone()) }));
  }

  /** Marks a request of a flow as being executed, even while it waits for something other than the thread. */
  enter(name: string | undefined): void {
    this.#present.set(name, (this.#present.get(name) ?? 0) + 1);
  }

  leave(name: string | undefined): void {
    const left = (this.#present.get(name) ?? 0) - 1;
    if (left > 0) this.#present.set(name, left);
    else this.#present.delete(name);
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    void this.#clock.turn?.().then(() => this.#turn());
  }

  #turn(): void {
    this.#armed = false;
    const othersActive = this.#othersActive;
    const took = this.#sliceBegan === undefined ? undefined : this.#clock.monotonic() - this.#sliceBegan;
    this.#sliceBegan = undefined;
    this.#exemptWork = false;
    for (const [name, flow] of this.#flows) {
      flow.spent = 0;
      if (flow.queue.length === 0) this.#flows.delete(name);
    }
    if (this.#flows.size === 0) return;
    if (took === undefined) {
      void this.#letGo();
      return;
    }
    void this.#letGoLater(othersActive ? took : 0);
  }

  /**
   * Reports whether any flow is active that does not wait for the thread. A small request waits for the store as well:
   * if it were forgotten meanwhile, a slice would run before each of its turns.
   */
  get #othersActive(): boolean {
    if (this.#exemptWork || this.#flows.values().some((flow) => flow.spent > 0 && flow.queue.length === 0)) return true;
    return this.#present.keys().some((name) => name === undefined || !this.#waits(name));
  }

  #waits(name: string): boolean {
    return (this.#flows.get(name)?.queue.length ?? 0) > 0;
  }

  /** Admits the next slice after a time, or after some turns if nobody else needs that. */
  async #letGoLater(ms: number): Promise<void> {
    this.#armed = true;
    if (ms >= 1) await new Promise<void>((resolve) => this.#clock.timer(Math.min(ms, MAX_PAUSE_MS), resolve));
    else for (let round = 1; round < ROUNDS; round++) await this.#clock.turn?.();
    this.#armed = false;
    await this.#letGo();
  }

  /**
   * Admits one slice of waiting work, piece by piece until it has taken its time; work that is larger than a slice runs
   * alone.
   */
  async #letGo(): Promise<void> {
    const began = this.#clock.monotonic();
    this.#sliceBegan = began;
    this.#arm();
    for (let left = SLICE; left > 0; ) {
      const flow = this.#next();
      const piece = flow?.queue[0];
      if (flow === undefined || piece === undefined) return;
      if (piece.isGone()) {
        flow.queue.shift();
        piece.drop();
        continue;
      }
      if (piece.units > left && left < SLICE) return;
      flow.queue.shift();
      left -= piece.units;
      this.#virtual = flow.virtual;
      flow.virtual += piece.units;
      piece.go();
      for (let hop = 0; hop < HOPS; hop++) await MICROTASK;
      if (this.#clock.monotonic() - began >= MAX_SLICE_MS) return;
    }
  }

  #next(): FlowShare | undefined {
    let min: FlowShare | undefined;
    for (const flow of this.#flows.values()) {
      if (flow.queue.length > 0 && (min === undefined || flow.virtual < min.virtual)) min = flow;
    }
    return min;
  }

  #flowOf(name: string): FlowShare {
    let flow = this.#flows.get(name);
    if (flow === undefined) {
      flow = { spent: 0, virtual: this.#virtual, queue: [] };
      this.#flows.set(name, flow);
    }
    return flow;
  }
}
