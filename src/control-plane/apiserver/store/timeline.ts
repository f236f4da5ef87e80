import { KeyIndex } from './key-index.ts';
import type { Entry, Range, RangeOptions, StoreEvent } from './store.ts';
import { StoreError } from './store-error.ts';
import { live, type Version } from './version.ts';

type Change = StoreEvent & { readonly version: Version };

/** Revision before the first write. Nothing is at 0, which clients use to mean "any". */
export const FIRST_REVISION = 1;

/** Approximate memory of one event beside the value it replaced: itself, its version, their place and cached state. */
export const EVENT_BYTES = 400;

/**
 * Holds all visible versions of all keys from the compacted revision on, and the events between them. It uses no I/O
 * and no time.
 */
export class Timeline {
  readonly #index = new KeyIndex();
  /** One change per revision, so that the event of revision r is at r - compacted - 1. */
  readonly #changes: Change[] = [];
  #compacted: number;
  #revision: number;
  #bytes = 0;
  #liveBytes = 0;

  constructor(compacted = FIRST_REVISION) {
    this.#compacted = compacted;
    this.#revision = compacted;
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /**
   * Returns the number of retained events, approximately how many bytes of memory they hold, and how many the newest
   * values hold. An event holds the value it replaced; the newest value of a key is not history.
   */
  get kept(): { events: number; bytes: number; liveBytes: number } {
    return { events: this.#changes.length, bytes: this.#bytes, liveBytes: this.#liveBytes };
  }

  /** Returns the newest version of a key, which may be a deletion. */
  head(key: string): Version | undefined {
    return this.#index.head(key);
  }

  get(key: string, revision: number = this.#revision): Entry | undefined {
    this.checkReadable(revision);
    return live(this.#index.head(key)?.at(revision));
  }

  range({ prefix, after, limit = Number.POSITIVE_INFINITY, revision = this.#revision }: RangeOptions): Range {
    this.checkReadable(revision);
    const { entries, remaining } = this.#index.scan(prefix, after, limit, revision);
    return { entries, revision, remaining };
  }

  /** Throws unless the state at a revision, and all events after it, are available. */
  checkReadable(revision: number): void {
    if (revision < this.#compacted) {
      throw new StoreError(
        'Compacted',
        `revision ${revision} is compacted: the oldest available is ${this.#compacted}`,
      );
    }
    if (revision > this.#revision) {
      throw new StoreError(
        'FutureRevision',
        `revision ${revision} does not exist yet: the latest is ${this.#revision}`,
      );
    }
  }

  /** Returns up to `limit` accepted events after a revision, and the revision up to which they are complete. */
  eventsAfter(revision: number, limit: number, accepts: (key: string) => boolean) {
    this.checkReadable(revision);
    const events: StoreEvent[] = [];
    for (let i = revision - this.#compacted; i < this.#changes.length; i++) {
      const change = this.#changes[i]!;
      if (!accepts(change.key)) continue;
      events.push(change);
      if (events.length === limit) return { events, upTo: change.revision };
    }
    return { events, upTo: this.#revision };
  }

  /** Makes the next revision visible. */
  apply(version: Version): StoreEvent {
    if (version.revision !== this.#revision + 1) {
      throw new StoreError('Corrupt', `revision ${version.revision} follows ${this.#revision}`);
    }
    const older = this.#replace(version);
    version.supersede(older);
    const change = changeOf(version, live(older));
    this.#changes.push(change);
    this.#bytes += EVENT_BYTES + bytesOf(change.previous?.value);
    this.#revision = version.revision;
    return change;
  }

  /** Adds a stored version that is older than the retained events. Returns the revisions that it made obsolete. */
  restore(version: Version): number[] {
    const older = this.#replace(version);
    const useless = older === undefined ? [] : [older.revision];
    if (version.value !== undefined) return useless;
    this.#index.remove(version.key);
    return [...useless, version.revision];
  }

  /**
   * Drops events up to a revision, and every version that no readable revision shows any more. Returns the revisions of
   * those versions; a deletion always comes after the value it deleted.
   */
  compact(revision: number): number[] {
    if (revision > this.#revision) this.checkReadable(revision);
    const count = Math.max(0, revision - this.#compacted);
    const useless: number[] = [];
    for (const { key, previous, version } of this.#changes.splice(0, count)) {
      version.forgetOlder();
      this.#bytes -= EVENT_BYTES + bytesOf(previous?.value);
      if (previous !== undefined) useless.push(previous.revision);
      if (version.value !== undefined) continue;
      useless.push(version.revision);
      if (this.#index.head(key) === version) this.#index.remove(key);
    }
    this.#compacted += count;
    return useless;
  }

  #replace(version: Version): Version | undefined {
    const older = this.#index.set(version);
    this.#liveBytes += bytesOf(version.value) - bytesOf(older?.value);
    return older;
  }
}

function changeOf(version: Version, previous: Entry | undefined): Change {
  const { key, revision } = version;
  const entry = live(version);
  if (entry !== undefined) return { type: 'put', key, revision, entry, previous, version };
  if (previous !== undefined) return { type: 'delete', key, revision, entry: undefined, previous, version };
  throw new StoreError('Corrupt', `revision ${revision} deletes "${key}", which does not exist`);
}

/** Matches a character because of which a string takes two bytes for each. It fails at once on any other string. */
const WIDE = /[^\0-\xff]/;

function bytesOf(value: string | undefined): number {
  return value === undefined ? 0 : (WIDE.test(value) ? 2 : 1) * value.length;
}
