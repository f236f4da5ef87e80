import type { PodInfo } from '../pod/pod-info.ts';

/** How many pods of which priority are on nodes. */
export class Priorities {
  readonly #counts = new Map<number, number>();

  /** Whether any pod is less important. */
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
