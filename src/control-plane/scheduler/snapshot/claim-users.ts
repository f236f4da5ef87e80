import type { PodInfo } from '../pod/pod-info.ts';

/** Counts the pods on nodes that use a claim. */
export class ClaimUsers {
  readonly #users = new Map<string, number>();

  /** Returns the count by `namespace/name` of the claim. */
  of(claim: string): number {
    return this.#users.get(claim) ?? 0;
  }

  podMoved(_slot: number, { claims }: PodInfo, by: 1 | -1): void {
    for (const { key } of claims) {
      const users = this.of(key) + by;
      if (users === 0) this.#users.delete(key);
      else this.#users.set(key, users);
    }
  }
}
