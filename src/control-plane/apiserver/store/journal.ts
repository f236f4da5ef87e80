import type { Version } from './version.ts';

/** What has become useless on disk: superseded versions up to a revision that is no longer readable. */
export interface Compaction {
  readonly revision: number;
  readonly useless: readonly number[];
}

/** Where a store's versions are made durable. */
export interface Journal {
  /** Where that is, for people. */
  readonly place: string;
  /**
   * Stores all versions or none of them, and settles once that is decided. After a failure the journal holds what it
   * held before, as far as the next `append` is concerned. Never called again before it has settled.
   */
  append(versions: readonly Version[], compaction: Compaction | undefined): Promise<void>;
  /** Throws where what was stored is known not to be there any more, without a write. Cheap: asked for with every probe. */
  check(): void;
  close(): Promise<void>;
}
