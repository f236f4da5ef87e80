import { type Database, open, type RootDatabase } from 'lmdb';
import { append } from '../../base/append.ts';
import { lockFolder } from './folder-lock.ts';
import type { Compaction, Journal } from './journal.ts';
import { decodeRecord, RecordEncoder } from './record.ts';
import { StoreError } from './store-error.ts';
import { FIRST_REVISION, Timeline } from './timeline.ts';
import type { Version } from './version.ts';

export type Durability = 'sync' | 'relaxed';

/** Names what the records and the meta table hold; to be changed with either. */
const FORMAT = 'vimana-store/1';

/** Fills pages instead of splitting them in half; the declared types know it for `putSync` only. */
const APPEND = { append: true } as unknown as number;

interface Environment {
  readonly root: RootDatabase<Buffer, string>;
  /** One record a revision, so that writes only ever append. */
  readonly records: Database<Buffer, number>;
  readonly meta: Database<Buffer, string>;
}

/** Versions in an LMDB environment, one transaction a group of writes. Holds the folder's lock while it is open. */
export class LmdbJournal implements Journal {
  readonly #folder: string;
  readonly #durability: Durability;
  readonly #unlock: () => void;
  /** LMDB has read the records of a group when its commit is answered, and no group begins before that. */
  #encoder = new RecordEncoder();
  #environment: Environment;
  #newest: number = FIRST_REVISION;
  #failed = false;

  private constructor(folder: string, durability: Durability, unlock: () => void) {
    this.#folder = folder;
    this.#durability = durability;
    this.#unlock = unlock;
    this.#environment = openEnvironment(folder, durability);
  }

  /** Opens a folder and reads back everything in it. */
  static async open(folder: string, durability: Durability): Promise<{ journal: LmdbJournal; timeline: Timeline }> {
    const unlock = lockFolder(folder);
    let journal: LmdbJournal | undefined;
    try {
      journal = new LmdbJournal(folder, durability, unlock);
      return { journal, timeline: await journal.#load() };
    } catch (error) {
      if (journal !== undefined) await journal.#environment.root.close();
      unlock();
      throw error;
    }
  }

  async append(versions: readonly Version[], compaction: Compaction | undefined): Promise<void> {
    if (this.#failed) await this.#recover();
    const { root, records, meta } = this.#environment;
    const encoded = this.#encoder.encode(versions);
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
      if (stored.includes(false)) throw new StoreError('Corrupt', 'storage holds revisions that were never given out');
    } catch (error) {
      this.#failed = true;
      this.#encoder = new RecordEncoder();
      throw await causeOf(error);
    }
    this.#newest = versions.at(-1)?.revision ?? this.#newest;
  }

  async close(): Promise<void> {
    await this.#environment.root.close();
    this.#unlock();
  }

  async #load(): Promise<Timeline> {
    const { root, records, meta } = this.#environment;
    await checkFormat(this.#folder, this.#environment);
    const compacted = Number(meta.get('compacted')?.toString() ?? FIRST_REVISION);
    const timeline = new Timeline(compacted);
    const useless: number[] = [];
    for (const { key: revision, value } of records.getRange()) {
      const version = decodeRecord(revision, value);
      if (revision <= compacted) append(useless, timeline.restore(version));
      else timeline.apply(version);
    }
    this.#newest = timeline.revision;
    // A compaction marks its revision first and removes over the commits that follow: these it had not come to.
    await root.batch(() => removeAll(records, useless));
    // Reading has mapped the whole file into memory; writing needs little of it.
    await this.#reopen();
    return timeline;
  }

  /**
   * After a failure the environment may refuse everything, and the writes that failed may yet have reached the disk:
   * opens it anew and takes out what is beyond the last revision that was answered.
   */
  async #recover(): Promise<void> {
    await this.#reopen();
    const { root, records } = this.#environment;
    const beyond = [...records.getKeys({ start: this.#newest + 1 })];
    await root.batch(() => removeAll(records, beyond));
    this.#failed = false;
  }

  async #reopen(): Promise<void> {
    await this.#environment.root.close();
    this.#environment = openEnvironment(this.#folder, this.#durability);
  }
}

function openEnvironment(folder: string, durability: Durability): Environment {
  const root = open<Buffer, string>(folder, {
    noSubdir: false,
    encoding: 'binary',
    // Two and more objects of usual size to a page; with 4 KiB each would take whole pages of its own.
    pageSize: 8192,
    maxDbs: 2,
    noMemInit: true,
    // Ours are the groups; without this, LMDB would wait for the event loop to turn and add promises nobody hears.
    eventTurnBatching: false,
    // LMDB's middle way, to commit first and flush after, still waits for the disk once for every group.
    overlappingSync: false,
    noSync: durability === 'relaxed',
  });
  return {
    root,
    records: root.openDB<Buffer, number>('records', { encoding: 'binary' }),
    meta: root.openDB<Buffer, string>('meta', { encoding: 'binary' }),
  };
}

async function checkFormat(folder: string, { records, meta }: Environment): Promise<void> {
  const found = meta.get('format')?.toString();
  if (found === FORMAT) return;
  if (found !== undefined || records.getKeysCount({ limit: 1 }) > 0) {
    throw new StoreError(
      'UnknownFormat',
      `"${folder}" has format "${found ?? 'none'}"; this version reads "${FORMAT}"`,
    );
  }
  await meta.put('format', Buffer.from(FORMAT));
}

/** Within a batch, whose promise tells how it went. */
function removeAll(records: Environment['records'], revisions: readonly number[]): void {
  for (const revision of revisions) void records.remove(revision);
}

/** LMDB reports a failed commit by an error that only promises its cause. */
async function causeOf(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<never> }).commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
