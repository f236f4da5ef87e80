import type { Compaction, Journal } from './journal.ts';
import type { StoreEvent } from './store.ts';
import { StoreError } from './store-error.ts';
import type { Version } from './version.ts';

/** Maximum length of the values in one commit: enough to make a flush worthwhile, little enough that it is short. */
const GROUP_SIZE = 2 * 1024 * 1024;
/**
 * Maximum number of obsolete versions removed in one commit, so that a large compaction does not delay the writes that
 * carry it.
 */
const REMOVALS = 2_000;

interface Accepted {
  readonly version: Version;
  readonly write: PromiseWithResolvers<StoreEvent>;
}

/**
 * Writes accepted writes to the journal in groups: all that arrive while one group is in progress form the next. A
 * failed group also fails all writes accepted after it, because they may have been decided based on its outcome.
 */
export class GroupCommit {
  readonly #journal: Journal;
  /** Called with every group that has become durable, before its writes settle. Returns the event of each. */
  readonly #show: (versions: readonly Version[]) => readonly StoreEvent[];
  readonly #pending = new Map<string, Accepted>();
  #accepted: Accepted[] = [];
  #flushes: PromiseWithResolvers<void>[] = [];
  #probing = false;
  #useless: number[] = [];
  #compacted = 0;
  #compactedOnDisk = 0;
  #newest = 0;
  #running = false;

  /** Called after every commit with the failure, if any. */
  readonly #onOutcome: (failure: StoreError | undefined) => void;

  constructor(
    journal: Journal,
    show: (versions: readonly Version[]) => readonly StoreEvent[],
    onOutcome: (failure: StoreError | undefined) => void = () => {},
  ) {
    this.#journal = journal;
    this.#show = show;
    this.#onOutcome = onOutcome;
  }

  /**
   * Returns the revision of the newest accepted write, which may be visible by now; 0 if all since the last were lost.
   */
  get newest(): number {
    return this.#newest;
  }

  /** Returns the newest version of a key that is accepted but not durable. */
  pending(key: string): Version | undefined {
    return this.#pending.get(key)?.version;
  }

  /** Settles when the newest pending write of a key has succeeded or failed. */
  async settled(key: string): Promise<void> {
    await this.#pending.get(key)?.write.promise.catch(() => {});
  }

  /** Accepts a version that has the next revision, and returns its event once it is visible. */
  accept(version: Version): Promise<StoreEvent> {
    const accepted = { version, write: Promise.withResolvers<StoreEvent>() };
    this.#pending.set(version.key, accepted);
    this.#accepted.push(accepted);
    this.#newest = version.revision;
    this.#start();
    return accepted.write.promise;
  }

  /** Records what to remove; the next writes carry it. */
  compact({ revision, useless }: Compaction): void {
    this.#compacted = revision;
    for (const one of useless) this.#useless.push(one);
  }

  /** Writes everything to the journal, including compactions. */
  flush(): Promise<void> {
    const flush = Promise.withResolvers<void>();
    this.#flushes.push(flush);
    this.#start();
    return flush.promise;
  }

  /** Writes the existing state again, to find out whether the journal accepts writes. Fails if it does not. */
  async probe(compacted: number): Promise<void> {
    this.#compacted = compacted;
    this.#probing = true;
    await this.flush();
  }

  /** Checks without a write whether the journal lost its data, after which it accepts no more writes. */
  check(): void {
    try {
      this.#journal.check();
    } catch (cause) {
      this.#onOutcome(this.#unavailable(cause));
    }
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    // It runs one microtask later, so that writers that continue together are also grouped together.
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#accepted.length > 0 || (this.#flushes.length > 0 && this.#compactionDue())) {
      const group = this.#nextGroup();
      try {
        const events = await this.#commit(group.map(({ version }) => version));
        this.#succeed(group, events);
      } catch (cause) {
        this.#fail(group, this.#unavailable(cause));
      }
    }
    this.#running = false;
    for (const flush of this.#flushes.splice(0)) flush.resolve();
  }

  #nextGroup(): Accepted[] {
    let size = 0;
    let count = 0;
    while (count < this.#accepted.length && size < GROUP_SIZE) {
      size += this.#accepted[count++]!.version.value?.length ?? 0;
    }
    return this.#accepted.splice(0, count);
  }

  #compactionDue(): boolean {
    return this.#probing || this.#useless.length > 0 || this.#compacted !== this.#compactedOnDisk;
  }

  async #commit(versions: readonly Version[]): Promise<readonly StoreEvent[]> {
    const revision = this.#compacted;
    const useless = this.#useless.slice(0, REMOVALS);
    await this.#journal.append(versions, this.#compactionDue() ? { revision, useless } : undefined);
    this.#useless.splice(0, useless.length);
    this.#compactedOnDisk = revision;
    this.#probing = false;
    this.#onOutcome(undefined);
    return this.#show(versions);
  }

  #succeed(group: readonly Accepted[], events: readonly StoreEvent[]): void {
    for (const [i, accepted] of group.entries()) {
      const { key } = accepted.version;
      if (this.#pending.get(key) === accepted) this.#pending.delete(key);
      accepted.write.resolve(events[i]!);
    }
  }

  #unavailable(cause: unknown): StoreError {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `the write could not be stored in ${this.#journal.place}: ${why}`;
    return new StoreError('Unavailable', message, { cause });
  }

  #fail(group: readonly Accepted[], failure: StoreError): void {
    const lost = [...group, ...this.#accepted.splice(0)];
    this.#pending.clear();
    this.#newest = 0;
    this.#probing = false;
    this.#onOutcome(failure);
    for (const { write } of lost) write.reject(failure);
    for (const flush of this.#flushes.splice(0)) flush.reject(failure);
  }
}
