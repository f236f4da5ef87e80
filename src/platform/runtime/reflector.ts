import { append } from '#platform/base/append';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client, ResourceType, WatchEvent } from '#platform/kube/client';
import { isGone } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { backOffDelay } from './back-off.ts';

/** Takes in the state of a resource and then its changes. Nothing here may throw. */
export interface ReflectorStore<T extends KubeObject = KubeObject> {
  /** All there is, at this version of the resource; the changes come once it is taken in. */
  replace(objects: readonly T[], version: string): void | Promise<void>;
  put(object: T): void;
  /** With the last state of the object. */
  remove(object: T): void;
  /** Everything up to this version has been told. */
  reached(version: string): void;
}

/** Which objects of a resource; all where nothing is said. */
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
  /** Told of every failure; whoever knows that the resource is gone for good may end it. */
  readonly onFailure?: (error: unknown) => void;
}

const PAGE = 500;
const BACK_OFF = { first: 200, max: 30_000 };

/**
 * Lists a resource, then follows its changes until the signal. A watch that breaks goes on where it was; only where the
 * server has forgotten that place is everything listed again. Failures are tried again, ever less often.
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
          'a resource cannot be followed; trying again',
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
