import { join } from 'node:path';

/**
 * Returns the paths of the stores in a data directory. Each head, which records how far the data goes, lies outside of
 * its store's directory so that it survives the loss of that directory.
 */
export function storePlaces(dataDir: string) {
  const place = (name: string) => ({ directory: join(dataDir, name), head: join(dataDir, `${name}.head`) });
  return { objects: place('objects'), events: place('events') };
}

/**
 * Returns a revision that no store can have reached by then: that would have taken a million writes a second since
 * 1970.
 */
export function revisionBeyond(now: number, ...known: readonly number[]): number {
  return Math.max(now * 1_000, ...known.map((revision) => revision + 1_000_000_000));
}
