import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { createPrivateDirectory, tightenFile } from '#platform/kube/kubeconfig/private-file';
import { lockDirectory } from './directory-lock.ts';
import { explainedFailure } from './disk-failure.ts';
import { commitBytes, type Durability, type Environment, openEnvironment, writeData } from './environment.ts';
import { FileGuard } from './file-guard.ts';
import { assertSpace } from './free-space.ts';
import type { Compaction, Journal } from './journal.ts';
import { RecordEncoder } from './record.ts';
import { StoreError } from './store-error.ts';
import { StoreHead } from './store-head.ts';
import { dataFile, readContent, type StoredContent } from './stored-content.ts';
import { FIRST_REVISION, Timeline } from './timeline.ts';
import type { Version } from './version.ts';

export interface JournalOptions {
  readonly directory: string;
  readonly durability: Durability;
  /** File beside the data that records how far it goes. */
  readonly head: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Maximum delay of the head: writing it with every commit would cost as much as a small commit. */
const HEAD_EVERY_MS = 250;

/** Fills pages instead of splitting them in half. The declared types have it for `putSync` only. */
const APPEND = { append: true } as unknown as number;

/**
 * Stores versions in an LMDB environment, one transaction per group of writes. Holds the directory's lock while it is
 * open.
 */
export class LmdbJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #unlock: () => void;
  readonly #head: StoreHead;
  readonly #guard: FileGuard;
  /**
   * One encoder suffices: LMDB has read the records of a group when its commit settles, and no group starts before
   * that.
   */
  #encoder = new RecordEncoder();
  #environment: Environment;
  #newest: number;
  #failed = false;
  #headAt: number;

  private constructor(options: JournalOptions, unlock: () => void, head: StoreHead, newest: number) {
    this.#options = options;
    this.#unlock = unlock;
    this.#head = head;
    this.#newest = newest;
    this.#headAt = options.clock.monotonic();
    this.#environment = openEnvironment(options.directory, options.durability);
    this.#guard = new FileGuard(dataFile(options.directory));
  }

  get place(): string {
    return `"${this.#options.directory}"`;
  }

  /** Opens a directory and reads back everything in it. Throws `Corrupt` if that is not all that was stored. */
  static async open(options: JournalOptions): Promise<{ journal: LmdbJournal; timeline: Timeline }> {
    createPrivateDirectory(options.directory);
    for (const name of ['data.mdb', 'lock.mdb']) tightenFile(join(options.directory, name));
    const unlock = lockDirectory(options.directory);
    try {
      const head = new StoreHead(options.head);
      const content = readContent(options.directory);
      const reached = head.read();
      checkHeadReached(options.directory, content, reached);
      if (content === undefined) await writeData(options.directory, [], FIRST_REVISION);
      else if (content.unchecked !== undefined) {
        await writeData(options.directory, content.unchecked, content.timeline.compacted);
      }
      const timeline = content?.timeline ?? new Timeline();
      // Without flushes, the data may be behind after a power cut: all that is certain is that there is some.
      if (reached === undefined) head.create(options.durability === 'sync' ? timeline.revision : FIRST_REVISION);
      const journal = new LmdbJournal(options, unlock, head, timeline.revision);
      await journal.#remove(content?.useless ?? []);
      return { journal, timeline };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  check(): void {
    this.#guard.check();
  }

  async append(versions: readonly Version[], compaction: Compaction | undefined): Promise<void> {
    this.#guard.check();
    const encoded = this.#encoder.encode(versions);
    this.#checkSpace(encoded, compaction?.useless.length ?? 0);
    if (this.#failed) await this.#recover();
    const { root, records, meta } = this.#environment;
    const puts: Promise<boolean>[] = [];
    try {
      const committed = root.batch(() => {
        for (const [i, { revision }] of versions.entries()) {
          puts.push(records.put(revision, encoded[i]!, APPEND));
        }
        if (compaction === undefined) return;
        removeAll(records, compaction.useless);
        void meta.put('compacted', Buffer.from(String(compaction.revision)));
      });
      const stored = await Promise.all([...puts, committed]);
      if (stored.includes(false))
        throw new StoreError('Corrupt', 'the storage contains revisions that were never assigned');
    } catch (error) {
      this.#failed = true;
      this.#encoder = new RecordEncoder();
      throw explainedFailure(this.#options.directory, await causeOf(error));
    }
    this.#newest = versions.at(-1)?.revision ?? this.#newest;
    if (this.#options.clock.monotonic() - this.#headAt >= HEAD_EVERY_MS) this.#advanceHead();
  }

  #checkSpace(encoded: readonly Buffer[], removals: number): void {
    const { directory } = this.#options;
    const bytes = encoded.reduce((sum, { length }) => sum + length, 0);
    try {
      // Removals cannot rewrite more pages than there are.
      assertSpace(directory, Math.min(commitBytes(bytes, removals), commitBytes(bytes) + this.#guard.size));
    } catch (error) {
      throw explainedFailure(directory, error);
    }
  }

  async close(): Promise<void> {
    this.#advanceHead();
    await this.#environment.root.close();
    this.#guard.close();
    this.#head.close();
    this.#unlock();
  }

  /**
   * Recovers from a failure, after which the environment may reject everything, and the failed writes may still have
   * reached the disk. Reopens it and removes everything after the last acknowledged revision.
   */
  async #recover(): Promise<void> {
    await this.#environment.root.close();
    this.#environment = openEnvironment(this.#options.directory, this.#options.durability);
    await this.#remove([...this.#environment.records.getKeys({ start: this.#newest + 1 })]);
    this.#failed = false;
  }

  #advanceHead(): void {
    if (this.#options.durability !== 'sync') return;
    this.#headAt = this.#options.clock.monotonic();
    this.#head.advance(this.#newest);
  }

  async #remove(revisions: readonly number[]): Promise<void> {
    const { root, records } = this.#environment;
    if (revisions.length > 0) await root.batch(() => removeAll(records, revisions));
  }
}

/** Checks that the data reaches the head, because intact data may still be less than there was. */
function checkHeadReached(directory: string, content: StoredContent | undefined, reached: number | undefined): void {
  if (reached === undefined) return;
  if (content === undefined) {
    throw new StoreError(
      'Corrupt',
      `"${directory}" is empty, but revision ${reached} was stored in it: its contents were deleted`,
    );
  }
  if (content.timeline.revision >= reached) return;
  throw new StoreError(
    'Corrupt',
    `"${directory}" ends with revision ${content.timeline.revision}, but revision ${reached} was stored in it: its latest writes are lost, or it was replaced by an older copy`,
  );
}

/** Removes records within a batch, whose promise reports the result. */
function removeAll(records: Environment['records'], revisions: readonly number[]): void {
  for (const revision of revisions) void records.remove(revision);
}

/** Returns the cause of a failed commit, which LMDB's error only promises. */
async function causeOf(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<never> }).commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
