/** How much history a store keeps for watches and for reads at a revision: whatever passes one of these may go. */
export interface Retention {
  /** Age in milliseconds. */
  readonly maxAge: number;
  /** Number of events. */
  readonly maxEvents: number;
  /** Bytes of values held by events: keeps a few huge objects from filling memory. */
  readonly maxBytes: number;
}

export const DEFAULT_RETENTION: Retention = { maxAge: 5 * 60_000, maxEvents: 100_000, maxBytes: 256 * 1024 * 1024 };

interface Kept {
  readonly revision: number;
  readonly compacted: number;
  readonly kept: { readonly events: number; readonly bytes: number };
}

interface Mark {
  readonly time: number;
  readonly revision: number;
}

/**
 * Decides how far to compact. Age is known from marks (the revision that was newest at a moment) set as writes pass,
 * so that no event carries a time and no timer runs: without writes, history does not grow.
 */
export class RetentionPolicy {
  readonly #limits: Retention;
  readonly #marks: Mark[];

  constructor(limits: Retention, now: number, revision: number) {
    this.#limits = limits;
    this.#marks = [{ time: now, revision }];
  }

  /** The revision to compact to, or undefined when nothing is worth it yet. */
  floor(now: number, { revision, compacted, kept }: Kept): number | undefined {
    const { maxAge, maxEvents, maxBytes } = this.#limits;
    let floor = Math.max(compacted, this.#expired(now, maxAge));
    // In steps, because compacting on every write would cost each write a compaction.
    if (kept.events > maxEvents + (maxEvents >> 6)) floor = Math.max(floor, revision - maxEvents);
    if (kept.bytes > maxBytes) floor = Math.max(floor, revision - kept.events + Math.ceil(kept.events / 8));
    if (now - this.#marks[this.#marks.length - 1]!.time >= maxAge / 32) this.#marks.push({ time: now, revision });
    return floor > compacted ? floor : undefined;
  }

  /** The newest marked revision that is old enough; its marks before it are of no more use. */
  #expired(now: number, maxAge: number): number {
    let last = 0;
    while (last + 1 < this.#marks.length && now - this.#marks[last + 1]!.time >= maxAge) last++;
    if (last > 0) this.#marks.splice(0, last);
    const oldest = this.#marks[0]!;
    return now - oldest.time >= maxAge ? oldest.revision : 0;
  }
}
