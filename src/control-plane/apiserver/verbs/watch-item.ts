import { GenerationalCache } from '#platform/base/generational-cache';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Status } from '../api-error.ts';
import { textOf } from '../object-text.ts';
import type { ParsedObjects } from '../parsed-objects.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import type { Entry, StoreEvent } from '../store/store.ts';
import { WatchLines } from './watch-lines.ts';

export type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Represents one event of a watch in one version of the resource. The object must not be modified. */
export interface WatchItem {
  readonly type: WatchType;
  readonly object: KubeObject | Status;
  /** JSON text of the object. */
  readonly text: string;
}

/** Parses the object only if more than its text is used. */
class PresentItem implements WatchItem {
  readonly type: 'ADDED' | 'MODIFIED';
  readonly #entry: Entry;
  readonly #parsed: ParsedObjects;

  constructor(type: 'ADDED' | 'MODIFIED', entry: Entry, parsed: ParsedObjects) {
    this.type = type;
    this.#entry = entry;
    this.#parsed = parsed;
  }

  get text(): string {
    return this.#entry.value;
  }

  get object(): KubeObject {
    return this.#parsed.get(this.#entry);
  }
}

/** Last state of an object at the revision of the change that removed it from a watch. */
interface GoneState {
  readonly object: KubeObject;
  readonly text: string;
}

/** Maximum number of such states in a generation, and maximum length of their texts. */
const MAX_GONE = 256;
const MAX_GONE_LENGTH = 2 * 1024 * 1024;

/** Creates watch items. The same change goes to many watchers, so everything that they can share is created once. */
export class WatchItems {
  readonly #parsed: ParsedObjects;
  /** Bounded, because an event lives as long as history, which would hold the object and its text as well. */
  readonly #gone = new GenerationalCache<StoreEvent, GoneState>({
    maxEntries: MAX_GONE,
    maxWeight: MAX_GONE_LENGTH,
    weightOf: ({ text }) => text.length,
  });
  readonly #lines = new WatchLines();

  constructor(parsed: ParsedObjects) {
    this.#parsed = parsed;
  }

  /** Returns an item with the current state of an object. */
  present(type: 'ADDED' | 'MODIFIED', resource: Resource, entry: Entry): WatchItem | Promise<WatchItem> {
    if (resource.fromStorage !== undefined) return this.#converted(type, resource, this.#parsed.get(entry));
    return new PresentItem(type, entry, this.#parsed);
  }

  /**
   * Returns the last state of an object that was deleted or no longer matches a selector, at the revision of the
   * change.
   */
  async gone(resource: Resource, event: StoreEvent): Promise<WatchItem> {
    let last = this.#gone.get(event);
    if (last === undefined) {
      const before = this.#parsed.get(event.previous as Entry);
      const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(event.revision) } };
      last = { object, text: textOf(object) };
      this.#gone.set(event, last);
    }
    if (resource.fromStorage !== undefined) return await this.#converted('DELETED', resource, last.object);
    return { type: 'DELETED', ...last };
  }

  /** Formats an event as one line of JSON. */
  line(item: Pick<WatchItem, 'type' | 'text'>): string {
    return this.#lines.of(item);
  }

  async #converted(type: WatchType, resource: Resource, stored: KubeObject): Promise<WatchItem> {
    const [object = stored] = (await resource.fromStorage?.([stored])) ?? [];
    return { type, object, text: textOf(object) };
  }
}

/** Returns a bookmark with the progress of a watch; `initial` marks the end of the initial events. */
export function bookmark(resource: Resource, revision: number, initial: boolean): WatchItem {
  const object: KubeObject = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(revision),
      ...(initial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  };
  return { type: 'BOOKMARK', object, text: textOf(object) };
}

export function errorItem(status: Status): WatchItem {
  return { type: 'ERROR', object: status, text: JSON.stringify(status) };
}
