import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { openLmdbStore } from './store/lmdb-store.ts';
import type { StoreOptions } from './store/revision-store.ts';
import type { Store } from './store/store.ts';
import { StoreError } from './store/store-error.ts';
import { writeStore } from './store/write-store.ts';

/** Where a data directory has its stores. What says how far the data goes is outside, so that it outlives its folder. */
export function storePlaces(dataDir: string) {
  const place = (name: string) => ({ folder: join(dataDir, name), head: join(dataDir, `${name}.head`) });
  return { objects: place('objects'), events: place('events') };
}

/** A revision that no store can have reached by then: it would have taken a million writes a second since 1970. */
export function revisionBeyond(now: number, ...known: readonly number[]): number {
  return Math.max(now * 1_000, ...known.map((revision) => revision + 1_000_000_000));
}

/**
 * Opens the store of Events, which tell what happened and are not worth a wait for the disk. So a power cut may cost them,
 * but not the cluster: where they are damaged they are set aside, and the store begins anew.
 */
export async function openEvents(
  dataDir: string,
  clock: Clock,
  log: Logger,
  onProblem: NonNullable<StoreOptions['onProblem']>,
): Promise<Store> {
  const { folder, head } = storePlaces(dataDir).events;
  const options = { folder, head, durability: 'relaxed', clock, onProblem } as const;
  try {
    return await openLmdbStore(options);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'Corrupt') throw error;
    const aside = `${folder}.damaged-${clock.now()}`;
    for (const [from, to] of [
      [folder, aside],
      [head, `${aside}.head`],
    ] as const) {
      if (existsSync(from)) renameSync(from, to);
    }
    log.error({ err: error, aside }, 'the store of Events is damaged: it was set aside, and earlier Events are gone');
    await writeStore({ folder, head }, [], revisionBeyond(clock.now()));
    return await openLmdbStore(options);
  }
}
