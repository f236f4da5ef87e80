import { existsSync, renameSync } from 'node:fs';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { openLmdbStore } from './store/lmdb-store.ts';
import type { StoreOptions } from './store/revision-store.ts';
import type { Store } from './store/store.ts';
import { StoreError } from './store/store-error.ts';
import { writeStore } from './store/write-store.ts';
import { revisionBeyond, storePlaces } from './store-places.ts';
import { hasWitness } from './store-witness.ts';

/**
 * Opens the store of Events, which is not flushed to disk because Events are not worth the wait. A power cut may lose
 * Events but not the cluster: a damaged store is set aside and a new one is started, which never reuses revisions that
 * were served.
 */
export async function openEvents(
  dataDir: string,
  clock: Clock,
  log: Logger,
  onProblem: NonNullable<StoreOptions['onProblem']>,
): Promise<Store> {
  const { directory, head } = storePlaces(dataDir).events;
  const options = { directory, head, durability: 'relaxed', clock, onProblem } as const;
  try {
    if (hasWitness(dataDir) && !existsSync(head)) throw new StoreError('Corrupt', `${head} was deleted`);
    return await openLmdbStore(options);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'Corrupt') throw error;
    const aside = `${directory}.damaged-${clock.now()}`;
    for (const [from, to] of [
      [directory, aside],
      [head, `${aside}.head`],
    ] as const) {
      if (existsSync(from)) renameSync(from, to);
    }
    log.error({ err: error, aside }, 'the event store is damaged: it was moved aside, and earlier Events are lost');
    await writeStore({ directory, head }, [], revisionBeyond(clock.now()));
    return await openLmdbStore(options);
  }
}
