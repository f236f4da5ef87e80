const FIRST_MS = 10_000;
const MAX_MS = 10 * 60_000;

/** Returns the delay of the next pod after a number of failures. */
export function retryDelayMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
}

interface Failures {
  count: number;
  last: number;
}

/** Delays the pods of Jobs that fail, longer after each failure until one succeeds. */
export class FailureBackOff {
  readonly #byJob = new Map<string, Failures>();

  note(job: string, result: { readonly failed: number; readonly succeeded: number }, now: number): void {
    if (result.succeeded > 0) this.#byJob.delete(job);
    if (result.failed === 0) return;
    const count = (this.#byJob.get(job)?.count ?? 0) + result.failed;
    this.#byJob.set(job, { count, last: now });
  }

  /** Returns the time until the next pod may be created. */
  waitMs(job: string, now: number): number {
    const failures = this.#byJob.get(job);
    if (failures === undefined) return 0;
    return Math.max(0, failures.last + retryDelayMs(failures.count) - now);
  }

  forget(job: string): void {
    this.#byJob.delete(job);
  }
}
