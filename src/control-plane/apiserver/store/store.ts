import type { StoreError } from './store-error.ts';

/** What one key holds at one revision; never changes once handed out, but for `memo`. */
export interface Entry {
  readonly key: string;
  /** The object's JSON text: a string, because parsing, joining lists and writing HTTP answers all start from one. */
  readonly value: string;
  /** The revision that wrote this value: the object's resourceVersion. */
  readonly revision: number;
  /** The revision that created the key; equal to `revision` when this write was the creation. */
  readonly createRevision: number;
  /** For whoever reads values: what it remembers of this one. The store itself does not look at it. */
  memo?: object | undefined;
}

export interface PutEvent {
  readonly type: 'put';
  readonly key: string;
  readonly revision: number;
  readonly entry: Entry;
  /** What the key held before; undefined when this write created it. */
  readonly previous: Entry | undefined;
}

export interface DeleteEvent {
  readonly type: 'delete';
  readonly key: string;
  readonly revision: number;
  readonly entry: undefined;
  readonly previous: Entry;
}

/** One change. The same object goes to every watcher, so nobody may change it. */
export type StoreEvent = PutEvent | DeleteEvent;

/** Says that every matching event up to `revision` has been delivered on this watch. */
export interface ProgressNotify {
  readonly type: 'progress';
  readonly revision: number;
}

/** A failed comparison is an ordinary answer, not an error: it carries what was there instead. */
export type Outcome<E extends StoreEvent = StoreEvent> =
  | { readonly done: true; readonly event: E }
  | { readonly done: false; readonly current: Entry | undefined };

export interface WriteOptions {
  /** The revision the key must be at: 0 means that it must not exist; left out, any will do. */
  readonly expected?: number;
  /** The `memo` of the entry that is written. */
  readonly memo?: object;
}

export interface RangeOptions {
  /** Keys that start with it, in order. */
  readonly prefix: string;
  /** Only keys strictly after this one: the last key of the page before. */
  readonly after?: string;
  /** At most so many entries; 0 only counts; left out, all. */
  readonly limit?: number;
  /** Read as of this revision; left out, the newest. */
  readonly revision?: number;
}

export interface Range {
  readonly entries: readonly Entry[];
  /** The revision the page was read at: pass it on to read the next page of the same state. */
  readonly revision: number;
  /** How many more entries follow the last one given. */
  readonly remaining: number;
}

export interface WatchOptions {
  /** Ending in `/` (or empty): every key below it. Otherwise exactly that key. */
  readonly prefix: string;
  /** Deliver events after this revision; left out, from now on. */
  readonly after?: number;
  /** Ends the watch quietly. */
  readonly signal?: AbortSignal;
}

/**
 * Events in revision order, without gap or repeat, in batches of what has gathered since the last one was taken.
 * Taking is the back-pressure: a watch that is not read holds a bounded buffer, then reads on from history,
 * and once history has been compacted past it, it ends with a `Compacted` error.
 */
export interface Watch extends AsyncIterable<readonly (StoreEvent | ProgressNotify)[]> {
  /** Asks for one `progress` after everything that is visible now. */
  requestProgress(): void;
  close(): void;
}

/**
 * A revisioned key-value store as etcd is to a Kubernetes API server.
 *
 * Every write takes the next number of one sequence, and a write is one key. Reads and watches see a write only once
 * it is as durable as the store promises, and in the order of revisions; a write's answer comes after it is visible.
 * Reads are synchronous, so one range is consistent by itself, and pages are when they name the first one's revision.
 * Keys order by UTF-16 code unit, which is byte order for every key without characters beyond the basic plane.
 *
 * Failures are `StoreError`s: `Compacted` for a revision that is no longer kept, `FutureRevision` for one not reached,
 * `Unavailable` when storage failed (the write has no effect on the running store), `Closed` after `close()`.
 */
export interface Store {
  /** The newest visible revision; an empty store is at 1, since resourceVersion 0 means something else to clients. */
  readonly revision: number;
  /** History up to here is gone: reads and watches must name this revision or a later one. */
  readonly compacted: number;

  get(key: string, options?: { readonly revision?: number }): Entry | undefined;
  range(options: RangeOptions): Range;

  /**
   * The newest version including writes still on their way to disk: what the next read-modify-write of the key must
   * build upon. Only for that; the answer to the write that follows is what makes it true.
   */
  latest(key: string): Entry | undefined;

  /** Writes a value, or the value made from the revision that the write is going to have; making it must not write. */
  put(key: string, value: string | ((revision: number) => string), options?: WriteOptions): Promise<Outcome<PutEvent>>;
  /** Deletes a key; one that does not exist answers `done: false`. */
  delete(key: string, options?: WriteOptions): Promise<Outcome<DeleteEvent>>;

  /** Throws `Compacted` or `FutureRevision` at once when it cannot start where asked. */
  watch(options: WatchOptions): Watch;

  /** Forgets superseded versions and events up to and including this revision; the current state always stays. */
  compact(revision: number): Promise<void>;

  /**
   * Why writes fail at present; undefined where they do not, as far as the last one and a look at the storage tell. Asked
   * while they do, the store finds out anew by a write of its own: where the cause is gone, nobody else needs to write to
   * have it noticed.
   */
  problem(): Promise<StoreError | undefined>;

  /** Lets accepted writes finish, ends all watches and releases the storage. */
  close(): Promise<void>;
}
