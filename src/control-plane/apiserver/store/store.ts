import type { StoreError } from './store-error.ts';

/** Holds the value of one key at one revision. It never changes once returned, except for `memo`. */
export interface Entry {
  readonly key: string;
  /**
   * JSON text of the object. It is a string because parsing, joining lists and writing HTTP responses all start from
   * one.
   */
  readonly value: string;
  /** Revision that wrote this value: the object's resourceVersion. */
  readonly revision: number;
  /** Revision that created the key; equal to `revision` if this write created it. */
  readonly createRevision: number;
  /** Cache of the reader for this value. The store itself does not use it. */
  memo?: object | undefined;
}

export interface PutEvent {
  readonly type: 'put';
  readonly key: string;
  readonly revision: number;
  readonly entry: Entry;
  /** Previous entry of the key; undefined if this write created it. */
  readonly previous: Entry | undefined;
}

export interface DeleteEvent {
  readonly type: 'delete';
  readonly key: string;
  readonly revision: number;
  readonly entry: undefined;
  readonly previous: Entry;
}

/** Represents one change. Every watcher receives the same object, so it must not be modified. */
export type StoreEvent = PutEvent | DeleteEvent;

/** Reports that every matching event up to `revision` has been delivered on this watch. */
export interface ProgressNotify {
  readonly type: 'progress';
  readonly revision: number;
}

/** Outcome of a write. A failed comparison is a normal outcome, not an error, and contains the current entry. */
export type Outcome<E extends StoreEvent = StoreEvent> =
  | { readonly done: true; readonly event: E }
  | { readonly done: false; readonly current: Entry | undefined };

export interface StoreWriteOptions {
  /** Revision the key must be at: 0 means that it must not exist; if absent, any will do. */
  readonly expected?: number;
  /** `memo` of the written entry. */
  readonly memo?: object;
}

export interface RangeOptions {
  /** Prefix of the keys, which are returned in order. */
  readonly prefix: string;
  /** Returns only keys strictly after this one: the last key of the previous page. */
  readonly after?: string;
  /** Maximum number of entries; 0 only counts; if absent, all. */
  readonly limit?: number;
  /** Revision to read at. Defaults to the newest. */
  readonly revision?: number;
}

export interface Range {
  readonly entries: readonly Entry[];
  /** Revision the page was read at. Pass it to read the next page of the same state. */
  readonly revision: number;
  /** Number of entries after the last one returned. */
  readonly remaining: number;
}

export interface StoreWatchOptions {
  /** If it ends in `/` (or is empty), every key below it; otherwise exactly that key. */
  readonly prefix: string;
  /** Revision after which to deliver events. Defaults to the current one. */
  readonly after?: number;
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal;
}

/**
 * Delivers events in revision order, without gaps or duplicates, in batches of what has accumulated since the last one.
 * Reading is the back-pressure: a watch that is not read holds a bounded buffer, then continues from history, and once
 * history has been compacted past it, it ends with a `Compacted` error.
 */
export interface Watch extends AsyncIterable<readonly (StoreEvent | ProgressNotify)[]> {
  /** Requests one `progress` after everything that is visible now. */
  requestProgress(): void;
  close(): void;
}

/**
 * Stores revisioned key-value pairs, as etcd does for a Kubernetes API server.
 *
 * Every write takes the next number of one sequence, and a write is one key. Reads and watches see a write only once it
 * is as durable as the store promises, and in the order of revisions; a write settles after it is visible. Reads are
 * synchronous, so one range is consistent by itself, and pages are if they specify the first one's revision. Keys are
 * ordered by UTF-16 code unit, which is byte order for every key without characters beyond the basic plane.
 *
 * Failures are `StoreError`s: `Compacted` for a revision that is no longer retained, `FutureRevision` for one not
 * reached, `Unavailable` if storage failed (the write has no effect on the running store), `Closed` after `close()`.
 */
export interface Store {
  /** Newest visible revision. An empty store is at 1, because resourceVersion 0 has another meaning for clients. */
  readonly revision: number;
  /** Compacted revision: reads and watches must specify this revision or a later one. */
  readonly compacted: number;

  get(key: string, options?: { readonly revision?: number }): Entry | undefined;
  range(options: RangeOptions): Range;

  /**
   * Returns the newest version including writes still on their way to disk, which the next read-modify-write of the key
   * must build upon. Use it only for that; it is confirmed once the following write succeeds.
   */
  latest(key: string): Entry | undefined;

  /** Writes a value, or one computed from the revision of the write; the computation must not write. */
  put(
    key: string,
    value: string | ((revision: number) => string),
    options?: StoreWriteOptions,
  ): Promise<Outcome<PutEvent>>;
  /** Deletes a key. If it does not exist, the outcome is `done: false`. */
  delete(key: string, options?: StoreWriteOptions): Promise<Outcome<DeleteEvent>>;

  /** Starts a watch. Throws `Compacted` or `FutureRevision` at once if it cannot start at the revision. */
  watch(options: StoreWatchOptions): Watch;

  /** Drops superseded versions and events up to and including this revision; the current state is always retained. */
  compact(revision: number): Promise<void>;

  /**
   * Returns why writes currently fail; undefined if they do not, judging by the last one and a check of the storage.
   * While they fail, the store checks again by a write of its own, so that recovery is noticed without other writes.
   */
  problem(): Promise<StoreError | undefined>;

  /** Lets accepted writes finish, ends all watches and releases the storage. */
  close(): Promise<void>;
}
