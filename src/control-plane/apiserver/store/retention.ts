/**
 * Limits the history that a store keeps for watches and for reads at a revision. Whatever exceeds one of these may be
 * compacted.
 */
export interface Retention {
  /** Maximum age in milliseconds. */
  readonly maxAge: number;
  /** Maximum number of events. */
  readonly maxEvents: number;
  /**
   * Maximum bytes of memory that events hold, so that neither huge objects nor many writes fill it. If the objects
   * themselves hold more than that, events may hold as much as they do.
   */
  readonly maxBytes: number;
}

export const DEFAULT_RETENTION: Retention = { maxAge: 5 * 60_000, maxEvents: 100_000, maxBytes: 24 * 1024 * 1024 };

interface Kept {
  readonly revision: number;
  readonly compacted: number;
  readonly kept: { readonly events: number; readonly bytes: number; readonly liveBytes: number };
}

interface Mark {
  readonly time: number;
  readonly revision: number;
}

/**
 * Decides how far to compact. Age is derived from marks (the newest revision at a moment) that are set during writes,
 * so that no event carries a time and no timer runs: without writes, history does not grow.
 */
export class RetentionPolicy {
  readonly #limits: Retention;
  readonly #marks: Mark[];

  constructor(limits: Retention, now: number, revision: number) {
    this.#limits = limits;
    this.#marks = [{ time: now, revision }];
  }

  /** Returns the revision to compact to, or undefined if compacting is not worthwhile yet. */
  floor(now: number, { revision, compacted, kept }: Kept): number | undefined {
    const { maxAge, maxEvents, maxBytes } = this.#limits;
    let floor = Math.max(compacted, this.#expired(now, maxAge));
    // Compaction happens in steps, because compacting on every write would slow down each write.
    if (kept.events > maxEvents + (maxEvents >> 6)) floor = Math.max(floor, revision - maxEvents);
    if (kept.bytes > Math.max(maxBytes, kept.liveBytes))
      floor = Math.max(floor, revision - kept.events + Math.ceil(kept.events / 8));
    if (now - this.#marks[this.#marks.length - 1]!.time >= maxAge / 32) this.#marks.push({ time: now, revision });
    return floor > compacted ? floor : undefined;
  }

  /** Returns the newest marked revision that is old enough, and drops the marks before it. */
  #expired(now: number, maxAge: number): number {
    let last = 0;
    while (last + 1 < this.#marks.length && now - this.#marks[last + 1]!.time >= maxAge) last++;
    if (last > 0) this.#marks.splice(0, last);
    const oldest = this.#marks[0]!;
    return now - oldest.time >= maxAge ? oldest.revision : 0;
  }
}
