import type { Clock } from '#platform/base/clock';
import { ApiError, expired, internal, tooLargeResourceVersion } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import { keyOf, type Resource } from '../resource.ts';
import type { Entry, Store, StoreEvent, Watch } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { YieldBudget } from '../yield-budget.ts';
import { checkWatchOptions, type ReadOptions } from './read-options.ts';
import { readVersion } from './resource-version.ts';
import { mayMatch, parseSelection, type Selection } from './selection.ts';
import { bookmark, errorItem, type WatchItem, type WatchItems } from './watch-item.ts';

export interface WatchOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Ends the watch normally after this time; 0 means no limit. */
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
}

const BOOKMARK_MS = 60_000;
/** Number of objects of the initial state that are read at a time. */
const PAGE = 500;

/**
 * Handles WATCH: sends the state as ADDED events if requested, then every change, in order, without gaps or duplicates.
 * A watch that cannot continue ends with one ERROR item. Invalid options throw before the first item.
 */
export function watchObjects(
  backend: Backend,
  items: WatchItems,
  resource: Resource,
  namespace: string,
  options: WatchOptions,
): AsyncIterable<readonly WatchItem[]> {
  const selection = parseSelection(resource, options.labelSelector, options.fieldSelector);
  checkWatchOptions(options);
  const store = storeOf(backend, resource);
  const prefix = keyOf(resource, namespace, '');
  const key =
    selection.name !== undefined && (namespace !== '' || !resource.namespaced) ? `${prefix}${selection.name}` : prefix;
  const version = readVersion(options.resourceVersion ?? '');
  const initial = options.sendInitialEvents ?? version === 0;
  return run({ backend, items, resource, selection, store, key, prefix, initial, options, version });
}

interface Run {
  readonly backend: Backend;
  readonly items: WatchItems;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly store: Store;
  /** Key range to watch: the prefix, or the one key that can match. */
  readonly key: string;
  readonly prefix: string;
  readonly initial: boolean;
  readonly options: WatchOptions;
  readonly version: number;
}

async function* run(watch: Run): AsyncGenerator<readonly WatchItem[]> {
  const { store, resource, options, initial, key, version } = watch;
  if (options.sendInitialEvents === true && version > store.revision) {
    yield [errorItem(tooLargeResourceVersion(version, store.revision).status)];
    return;
  }
  const now = store.revision;
  // A watch from a future version receives nothing until that version is reached.
  const start = initial || options.sendInitialEvents === false ? now : Math.min(version, now);
  let changes: Watch;
  try {
    changes = store.watch({ prefix: key, after: start, signal: options.signal });
  } catch (error) {
    yield [errorItem(watchError(error, start, store).status)];
    return;
  }
  const { clock } = watch.backend;
  const ticking = options.allowWatchBookmarks === true ? tick(clock, changes) : undefined;
  const { timeoutSeconds = 0 } = options;
  const limit = timeoutSeconds === 0 ? undefined : clock.timer(timeoutSeconds * 1000, () => changes.close());
  const drain = (): void => changes.requestProgress();
  resource.ended?.addEventListener('abort', drain, { once: true });
  if (resource.ended?.aborted === true) drain();
  try {
    if (initial) {
      yield* initialItems(watch, start);
      const reported = options.sendInitialEvents === true && options.allowWatchBookmarks === true;
      if (reported) yield [bookmark(resource, start, true)];
    }
    for await (const batch of changes) {
      const found: WatchItem[] = [];
      for (const change of batch) {
        if (change.revision <= version) continue;
        if (change.type === 'progress') {
          if (options.allowWatchBookmarks === true) found.push(bookmark(resource, change.revision, false));
        } else {
          const made = itemOf(watch, change);
          // Awaiting a value that is already available would cost every watcher a turn.
          const item = made instanceof Promise ? await made : made;
          if (item !== undefined) found.push(item);
        }
      }
      if (found.length > 0) yield found;
      if (resource.ended?.aborted === true && batch.some(({ type }) => type === 'progress')) return;
    }
  } catch (error) {
    if (!options.signal.aborted) yield [errorItem(watchError(error, start, store).status)];
  } finally {
    ticking?.();
    limit?.cancel();
    resource.ended?.removeEventListener('abort', drain);
    changes.close();
  }
}

/** Requests a bookmark periodically, so that a quiet watch can be resumed from a later revision than it started at. */
function tick(clock: Clock, changes: Watch): () => void {
  let timer = clock.timer(BOOKMARK_MS, again);
  function again(): void {
    changes.requestProgress();
    timer = clock.timer(BOOKMARK_MS, again);
  }
  return () => timer.cancel();
}

/** Yields the state at a revision as ADDED items, read only as fast as they are consumed. */
async function* initialItems(watch: Run, revision: number): AsyncGenerator<readonly WatchItem[]> {
  const { backend, items, resource, options } = watch;
  const budget = new YieldBudget(backend.clock, options.work);
  for (const entries of pagesOf(watch, revision)) {
    const added: Promise<WatchItem>[] = [];
    for (const entry of entries) {
      const pause = budget.spend(entry.value.length);
      if (pause !== undefined) await pause;
      if (chooses(watch, entry)) added.push(Promise.resolve(items.present('ADDED', resource, entry)));
    }
    if (added.length > 0) yield await Promise.all(added);
  }
}

function* pagesOf({ store, key, prefix }: Run, revision: number): Generator<readonly Entry[]> {
  if (key !== prefix) {
    const single = store.get(key, { revision });
    if (single !== undefined) yield [single];
    return;
  }
  let after = '';
  for (;;) {
    const { entries, remaining } = store.range({ prefix, revision, limit: PAGE, ...(after !== '' && { after }) });
    yield entries;
    if (remaining === 0) return;
    after = entries.at(-1)?.key ?? '';
  }
}

/** Converts a change for this watch: an object that starts to match is added, one that stops is deleted. */
function itemOf(watch: Run, event: StoreEvent): WatchItem | undefined | Promise<WatchItem> {
  const { items, resource } = watch;
  const { entry, previous } = event;
  const now = entry !== undefined && chooses(watch, entry);
  const before = previous !== undefined && chooses(watch, previous);
  if (now) return items.present(before ? 'MODIFIED' : 'ADDED', resource, entry);
  return before ? items.gone(resource, event) : undefined;
}

function chooses({ selection, backend }: Run, entry: Entry): boolean {
  const { matches } = selection;
  return matches === undefined || (mayMatch(selection, entry.key) && matches(backend.parsed.get(entry)));
}

function watchError(error: unknown, start: number, store: Store): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError && error.code === 'Compacted') {
    return expired(`too old resource version: ${start} (${store.compacted})`);
  }
  return internal(error);
}
