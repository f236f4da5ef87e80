import type { KubeObject } from '#platform/kube/kube-object';
import { badRequest, ExpiredListError, expired, tooLargeResourceVersion } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import type { AnnounceWork } from '../flow-control/work.ts';
import { headerOf, textOf } from '../object-text.ts';
import { apiVersionOf, keyOf, type Resource } from '../resource.ts';
import type { Entry, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { YieldBudget } from '../yield-budget.ts';
import { decodeContinue, encodeContinue, NEWEST } from './continue-token.ts';
import { checkListOptions, type ReadOptions } from './read-options.ts';
import { listVersion } from './resource-version.ts';
import { mayMatch, parseSelection, type Selection } from './selection.ts';

export interface ListOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
}

/** Holds one page of objects at one revision. */
export interface Listing {
  readonly entries: readonly Entry[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Number of rows to read at a time while a selector excludes most of them. */
const SCAN = 5_000;
/** Cost of examining a key, in units of parsed text. */
const GLANCE = 64;

/** Handles LIST: consistent at one revision, page after page. */
export async function listObjects(
  backend: Backend,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<Listing> {
  const store = storeOf(backend, resource);
  const selection = parseSelection(resource, options.labelSelector, options.fieldSelector);
  checkListOptions(options);
  const prefix = keyOf(resource, namespace, '');
  const { revision, after } = startOf(store, prefix, options);
  const limit = options.limit ?? 0;
  const budget = new YieldBudget(backend.clock, options.work);
  try {
    return await page(backend, store, { prefix, revision, after, limit, selection, budget });
  } catch (error) {
    throw readError(error, options.continue);
  }
}

interface Page {
  readonly prefix: string;
  readonly revision: number | undefined;
  readonly after: string | undefined;
  readonly limit: number;
  readonly selection: Selection;
  readonly budget: YieldBudget;
}

async function page(backend: Backend, store: Store, requested: Page): Promise<Listing> {
  const { prefix, revision, after, limit, selection, budget } = requested;
  const { matches } = selection;
  const at = revision ?? store.revision;
  const base = { prefix, revision: at };
  if (matches === undefined) {
    const range = store.range({ ...base, ...(after && { after }), ...(limit > 0 && { limit }) });
    return listing(range.entries, at, prefix, range.remaining);
  }
  const found: Entry[] = [];
  let last = after;
  for (;;) {
    const range = store.range({ ...base, ...(last && { after: last }), ...(limit > 0 && { limit: SCAN }) });
    for (const entry of range.entries) {
      last = entry.key;
      const possible = mayMatch(selection, last);
      const pause = budget.spend(possible ? entry.value.length : GLANCE);
      if (pause !== undefined) await pause;
      if (!possible || !matches(backend.parsed.get(entry))) continue;
      found.push(entry);
      if (limit > 0 && found.length === limit)
        return listing(found, at, prefix, undefined, selection.name === undefined && moreAfter(store, base, last));
    }
    if (range.remaining === 0) return listing(found, at, prefix, 0);
  }
}

function moreAfter(store: Store, base: { prefix: string; revision: number }, key: string): boolean {
  return store.range({ ...base, after: key, limit: 1 }).entries.length > 0;
}

/** Builds a page. `remaining` is unknown if there is a selector. */
function listing(
  entries: readonly Entry[],
  revision: number,
  prefix: string,
  remaining: number | undefined,
  more = (remaining ?? 0) > 0,
): Listing {
  const last = entries.at(-1);
  return {
    entries,
    metadata: {
      resourceVersion: String(revision),
      ...(more && last !== undefined ? { continue: encodeContinue(revision, last.key.slice(prefix.length)) } : {}),
      ...(more && remaining !== undefined ? { remainingItemCount: remaining } : {}),
    },
  };
}

/** Determines where a list starts: at its continue token, or at the requested version. */
function startOf(store: Store, prefix: string, options: ListOptions) {
  const { resourceVersion = '', resourceVersionMatch = '' } = options;
  if (options.continue !== undefined && options.continue !== '') {
    const token = decodeContinue(options.continue);
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    if (token.revision > store.revision) throw tooLargeResourceVersion(token.revision, store.revision);
    return { revision: token.revision > 0 ? token.revision : undefined, after: `${prefix}${token.start}` };
  }
  const version = listVersion(resourceVersion);
  if (version > store.revision) throw tooLargeResourceVersion(version, store.revision);
  const exact =
    resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && version > 0 && (options.limit ?? 0) > 0);
  return { revision: exact && version > 0 ? version : undefined, after: undefined };
}

function readError(error: unknown, token = ''): unknown {
  if (!(error instanceof StoreError) || error.code !== 'Compacted') return error;
  return token !== ''
    ? new ExpiredListError(
        'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
        encodeContinue(NEWEST, decodeContinue(token).start),
      )
    : expired('The resourceVersion for the provided list is too old.');
}

/** Holds the texts of listed objects, each produced when it is consumed, and the prefix that all of them lack. */
export interface ItemTexts {
  readonly items: Iterable<string>;
  readonly opening?: string;
}

export async function itemTexts(
  backend: Backend,
  resource: Resource,
  entries: readonly Entry[],
  work?: AnnounceWork,
): Promise<ItemTexts> {
  if (resource.fromStorage === undefined) return storedTexts(resource, entries);
  return { items: (await listedObjects(backend, resource, entries, work)).values().map((object) => textOf(object)) };
}

/** Returns the stored texts. Items of a built-in kind omit kind and apiVersion; custom ones include them. */
function storedTexts({ custom, kind, ...resource }: Resource, entries: readonly Entry[]): ItemTexts {
  if (custom) return { items: entries.values().map(({ value }) => value) };
  const start = headerOf(kind, apiVersionOf(resource)).length;
  return { items: entries.values().map(({ value }) => value.slice(start)), opening: '{' };
}

export async function listedObjects(
  backend: Backend,
  resource: Resource,
  entries: readonly Entry[],
  work?: AnnounceWork,
): Promise<readonly KubeObject[]> {
  const stored: KubeObject[] = [];
  const budget = new YieldBudget(backend.clock, work);
  for (const entry of entries) {
    stored.push(backend.parsed.get(entry));
    const pause = budget.spend(entry.value.length);
    if (pause !== undefined) await pause;
  }
  return resource.fromStorage === undefined ? stored : await resource.fromStorage(stored);
}
