import type { Clock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import type { TimeSeries } from './model.ts';
import { MODELS, type ModelName } from './models.ts';

/** A fit to compute. Equal requests have equal results. */
export interface FitRequest {
  readonly model: ModelName;
  readonly series: TimeSeries;
  readonly seed: string;
}

/** Computes a fit, in this thread or in another. */
export type ComputeFit = (request: FitRequest) => Promise<unknown>;

/** Fits a model in this thread, for simulated time and browsers. */
export const computeFit: ComputeFit = async ({ model, series, seed }) => MODELS[model].fit(series, seededRandom(seed));

/** Time to rest after a fit, as a multiple of what it took, so that fits use at most a tenth of a processor. */
const REST = 9;

/** Computes fits one after the other, within a budget of CPU time. */
export class BudgetedFits {
  readonly #compute: ComputeFit;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #last: Promise<unknown> = Promise.resolve();
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(compute: ComputeFit, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#compute = compute;
    this.#clock = clock;
  }

  fit(request: FitRequest, signal: AbortSignal): Promise<unknown> {
    const turn = this.#last.then(() => this.#fit(request, signal));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #fit(request: FitRequest, signal: AbortSignal): Promise<unknown> {
    const wait = this.#restsUntil - this.#clock.monotonic();
    if (wait > 0) await this.#clock.sleep(wait, signal);
    signal.throwIfAborted();
    const begun = this.#clock.monotonic();
    try {
      return await this.#compute(request);
    } finally {
      const now = this.#clock.monotonic();
      this.#restsUntil = now + REST * (now - begun);
    }
  }
}
