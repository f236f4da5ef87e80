import type { Clock } from '#platform/base/clock';
import { GroupCommit } from './group-commit.ts';
import type { Journal } from './journal.ts';
import { DEFAULT_RETENTION, type Retention, RetentionPolicy } from './retention.ts';
import type {
  DeleteEvent,
  Entry,
  Outcome,
  PutEvent,
  Range,
  RangeOptions,
  Store,
  StoreEvent,
  StoreWatchOptions,
  StoreWriteOptions,
  Watch,
} from './store.ts';
import { StoreError } from './store-error.ts';
import { StoreWatch } from './store-watch.ts';
import { Timeline } from './timeline.ts';
import { live, Version } from './version.ts';
import { WatchHub } from './watch-hub.ts';

export interface StoreOptions {
  /** Measures the age of history. */
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly retention?: Partial<Retention>;
  /** Called when writes start to fail, and when they succeed again. */
  readonly onProblem?: (problem: StoreError | undefined) => void;
}

/** Time for which the result of checking a failure is cached. */
const RECHECK_AFTER_MS = 1_000;

type NewValue = string | ((revision: number) => string) | undefined;

/**
 * Implements the store: decides writes, holds the visible state in memory, and makes it durable by a journal if given.
 */
export class RevisionStore implements Store {
  readonly #clock: StoreOptions['clock'];
  readonly #timeline: Timeline;
  readonly #journal: Journal | undefined;
  readonly #commits: GroupCommit | undefined;
  readonly #hub = new WatchHub();
  readonly #retention: RetentionPolicy;
  readonly #onProblem: (problem: StoreError | undefined) => void;
  #problem: StoreError | undefined;
  #problemAt = 0;
  #recheck: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ clock, retention, onProblem = () => {} }: StoreOptions, timeline = new Timeline(), journal?: Journal) {
    this.#clock = clock;
    this.#timeline = timeline;
    this.#journal = journal;
    this.#onProblem = onProblem;
    this.#commits =
      journal &&
      new GroupCommit(
        journal,
        (versions) => this.#show(versions),
        (failure) => this.#note(failure),
      );
    this.#retention = new RetentionPolicy({ ...DEFAULT_RETENTION, ...retention }, clock.monotonic(), timeline.revision);
  }

  get revision(): number {
    return this.#timeline.revision;
  }

  get compacted(): number {
    return this.#timeline.compacted;
  }

  async problem(): Promise<StoreError | undefined> {
    if (this.#problem === undefined && this.#closing === undefined) this.#commits?.check();
    const isKnown = this.#problem === undefined || this.#closing !== undefined;
    if (isKnown || this.#clock.monotonic() - this.#problemAt < RECHECK_AFTER_MS) return this.#problem;
    this.#recheck ??= this.#commits
      ?.probe(this.#timeline.compacted)
      .catch(() => {})
      .finally(() => {
        this.#recheck = undefined;
      });
    await this.#recheck;
    return this.#problem;
  }

  get(key: string, options?: { readonly revision?: number }): Entry | undefined {
    this.#checkOpen();
    return this.#timeline.get(key, options?.revision);
  }

  range(options: RangeOptions): Range {
    this.#checkOpen();
    return this.#timeline.range(options);
  }

  latest(key: string): Entry | undefined {
    this.#checkOpen();
    return live(this.#commits?.pending(key) ?? this.#timeline.head(key));
  }

  put(key: string, value: NonNullable<NewValue>, options?: StoreWriteOptions): Promise<Outcome<PutEvent>> {
    return this.#write(key, value, options) as Promise<Outcome<PutEvent>>;
  }

  delete(key: string, options?: StoreWriteOptions): Promise<Outcome<DeleteEvent>> {
    return this.#write(key, undefined, options) as Promise<Outcome<DeleteEvent>>;
  }

  watch({ prefix, after, signal }: StoreWatchOptions): Watch {
    this.#checkOpen();
    if (after !== undefined) this.#timeline.checkReadable(after);
    return new StoreWatch(this.#timeline, this.#hub, prefix, after ?? this.revision, signal);
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    this.#compactTo(revision);
    await this.#commits?.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Decides a write, and returns its outcome once it is visible. */
  async #write(key: string, value: NewValue, { expected, memo }: StoreWriteOptions = {}): Promise<Outcome> {
    for (;;) {
      this.#checkOpen();
      const pending = this.#commits?.pending(key);
      const current = live(pending ?? this.#timeline.head(key));
      if (admits(current, value, expected)) {
        const revision = Math.max(this.#timeline.revision, this.#commits?.newest ?? 0) + 1;
        return { done: true, event: await this.#accept(nextVersion(key, value, revision, current, memo)) };
      }
      if (pending === undefined) return { done: false, current };
      // The outcome of a failed comparison contains the current entry, so it waits until a pending write of the key
      // settles.
      await this.#commits?.settled(key);
    }
  }

  /** Accepts a write. Without a journal, the event is available at once. */
  #accept(version: Version): StoreEvent | Promise<StoreEvent> {
    if (this.#commits !== undefined) return this.#commits.accept(version);
    return this.#show([version])[0]!;
  }

  /** Makes a durable group visible, to readers and watchers at once. */
  #show(versions: readonly Version[]): StoreEvent[] {
    const events = versions.map((version) => this.#apply(version));
    const floor = this.#retention.floor(this.#clock.monotonic(), this.#timeline);
    if (floor !== undefined) this.#compactTo(floor);
    return events;
  }

  #note(failure: StoreError | undefined): void {
    const isNews = (failure === undefined) !== (this.#problem === undefined);
    this.#problem = failure;
    this.#problemAt = this.#clock.monotonic();
    if (isNews) this.#onProblem(failure);
  }

  #apply(version: Version): StoreEvent {
    const event = this.#timeline.apply(version);
    this.#hub.publish(event);
    return event;
  }

  #compactTo(revision: number): void {
    const useless = this.#timeline.compact(revision);
    this.#commits?.compact({ revision: this.#timeline.compacted, useless });
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('Closed', 'the store is closed');
  }

  async #close(): Promise<void> {
    try {
      await this.#commits?.flush();
    } finally {
      this.#hub.endAll();
      await this.#journal?.close();
    }
  }
}

/** Reports whether a write may happen given the current entry of the key. */
function admits(current: Entry | undefined, value: NewValue, expected: number | undefined): boolean {
  if (value === undefined && current === undefined) return false;
  return expected === undefined || expected === (current?.revision ?? 0);
}

function nextVersion(
  key: string,
  value: NewValue,
  revision: number,
  current: Entry | undefined,
  memo: object | undefined,
): Version {
  const text = typeof value === 'function' ? value(revision) : value;
  // Keys are stored as UTF-8, which cannot represent a lone surrogate.
  if (current === undefined && (key === '' || !key.isWellFormed())) throw new StoreError('InvalidKey', `key "${key}"`);
  if (text !== undefined && !text.isWellFormed()) throw new StoreError('InvalidValue', `value of "${key}"`);
  return new Version(key, text, revision, current?.createRevision ?? revision, memo);
}
