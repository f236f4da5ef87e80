import { join } from 'node:path';

/** Where a data directory has its stores. What says how far the data goes is outside, so that it outlives its folder. */
export function storePlaces(dataDir: string) {
  const place = (name: string) => ({ folder: join(dataDir, name), head: join(dataDir, `${name}.head`) });
  return { objects: place('objects'), events: place('events') };
}

/** A revision that no store can have reached by then: it would have taken a million writes a second since 1970. */
export function revisionBeyond(now: number, ...known: readonly number[]): number {
  return Math.max(now * 1_000, ...known.map((revision) => revision + 1_000_000_000));
}
