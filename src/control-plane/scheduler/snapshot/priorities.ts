import type { PodInfo } from '../pod/pod-info.ts';

/** Counts the pods on nodes by priority. */
export class Priorities {
  readonly #counts = new Map<number, number>();

  /** Reports whether any pod has a lower priority. */
  hasBelow(priority: number): boolean {
    for (const each of this.#counts.keys()) if (each < priority) return true;
    return false;
  }

  podMoved(_slot: number, { priority }: PodInfo, by: 1 | -1): void {
    const count = (this.#counts.get(priority) ?? 0) + by;
    if (count === 0) this.#counts.delete(priority);
    else this.#counts.set(priority, count);
  }
}
