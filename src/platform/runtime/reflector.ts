import { append } from '#platform/base/append';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client, ResourceType, WatchEvent } from '#platform/kube/client';
import { isGone } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { backOffDelay } from './back-off.ts';

/** Receives the state of a resource and then its changes. Its methods must not throw. */
export interface ReflectorStore<T extends KubeObject = KubeObject> {
  /** Replaces the whole state, at this version of the resource. Changes follow once it has returned or resolved. */
  replace(objects: readonly T[], version: string): void | Promise<void>;
  put(object: T): void;
  /** Removes an object, given its last state. */
  remove(object: T): void;
  /** Marks that all changes up to this version have been delivered. */
  reached(version: string): void;
}

/** Selects objects of a resource. Defaults to all. */
export interface Selection {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly selection?: Selection;
  readonly store: ReflectorStore<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called on every failure. A caller that knows that the resource is gone for good may stop the reflector. */
  readonly onFailure?: (error: unknown) => void;
}

const PAGE = 500;
const BACK_OFF = { first: 200, max: 30_000 };

/**
 * Lists a resource, then watches its changes until the signal, and retries failures with back-off. A broken watch
 * resumes where it was; everything is listed again only if the server no longer retains that version.
 */
export async function runReflector<T extends KubeObject>(
  following: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, log, type } = following;
  const place: { version?: string; failures: number } = { failures: 0 };
  while (!signal.aborted) {
    try {
      place.version ??= await list(following, signal);
      await watch(following, place, signal);
      if (signal.aborted) return;
      place.failures++;
    } catch (error) {
      if (signal.aborted) return;
      place.failures++;
      if (isGone(error)) delete place.version;
      else
        log.warn(
          { resource: type.plural, group: type.group, err: error },
          'failed to list or watch a resource; retrying',
        );
      following.onFailure?.(error);
    }
    await clock.sleep(backOffDelay(BACK_OFF, place.failures, random), signal).catch(() => {});
  }
}

async function list<T extends KubeObject>(
  { client, type, selection, store, clock }: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<string> {
  const objects: T[] = [];
  let next: string | undefined;
  for (;;) {
    const page = await client.list(type, {
      ...selection,
      limit: PAGE,
      signal,
      ...(next === undefined ? {} : { continue: next }),
    });
    append(objects, page.items);
    next = page.metadata.continue;
    if (next !== undefined && next !== '') {
      await clock.turn?.();
      continue;
    }
    await store.replace(objects, page.metadata.resourceVersion);
    return page.metadata.resourceVersion;
  }
}

async function watch<T extends KubeObject>(
  { client, type, selection, store }: ReflectorOptions<T>,
  place: { version?: string; failures: number },
  signal: AbortSignal,
): Promise<void> {
  const from = place.version === undefined ? {} : { resourceVersion: place.version };
  const take = (event: WatchEvent<T>): void => {
    const { type: happened, object } = event;
    place.failures = 0;
    place.version = object.metadata.resourceVersion ?? '';
    if (happened === 'BOOKMARK') store.reached(place.version);
    else if (happened === 'DELETED') store.remove(object);
    else store.put(object);
  };
  const events = client.watch(type, { ...selection, ...from, allowWatchBookmarks: true, signal });
  if (events.batches === undefined) {
    for await (const event of events) take(event);
    return;
  }
  for await (const batch of events.batches()) {
    for (const event of batch) {
      if (signal.aborted) return;
      take(event);
    }
  }
}
