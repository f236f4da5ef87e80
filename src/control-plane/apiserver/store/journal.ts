import type { Version } from './version.ts';

/** Describes what is obsolete on disk: superseded versions up to a revision that is no longer readable. */
export interface Compaction {
  readonly revision: number;
  readonly useless: readonly number[];
}

/** Makes a store's versions durable. */
export interface Journal {
  /** Human-readable location of the journal. */
  readonly place: string;
  /**
   * Stores all versions or none of them, and settles once that is decided. After a failure the journal holds what it
   * held before, as far as the next `append` is concerned. Never called again before it has settled.
   */
  append(versions: readonly Version[], compaction: Compaction | undefined): Promise<void>;
  /** Throws if stored data is known to be lost, without a write. It is cheap, because every probe calls it. */
  check(): void;
  close(): Promise<void>;
}
