const FIRST_MS = 1_000;
const MAX_MS = 15 * 60_000;

interface Delay {
  /** Uid of the failed pod that is being waited for. */
  pod: string;
  ms: number;
  until: number;
}

/** Delays the replacement of failed pods, longer each time one fails on the same node. */
export class ReplacementDelays {
  readonly #byKey = new Map<string, Map<string, Delay>>();

  /** Returns the time until a failed pod may be replaced. */
  waitFor(key: string, node: string, pod: string, now: number): number {
    const delays = this.#byKey.get(key) ?? new Map<string, Delay>();
    this.#byKey.set(key, delays);
    const known = delays.get(node);
    if (known?.pod === pod) return Math.max(0, known.until - now);
    // A pod that ran for twice the longest delay is a new problem.
    const isRecent = known !== undefined && now - known.until < 2 * MAX_MS;
    const ms = isRecent ? Math.min(known.ms * 2, MAX_MS) : FIRST_MS;
    delays.set(node, { pod, ms, until: now + ms });
    return ms;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
