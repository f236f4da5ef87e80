import type { StoreEvent } from './store.ts';

/** Receives the events of one prefix as they become visible. */
export interface Subscriber {
  readonly prefix: string;
  push(event: StoreEvent): void;
  end(reason?: Error): void;
}

/**
 * Routes each event to the matching watches. A watch is registered under its prefix, and a key is looked up under each
 * of its own prefixes that end in `/` and under itself, so an event costs a few lookups plus the matching watches.
 */
export class WatchHub {
  readonly #byPrefix = new Map<string, Set<Subscriber>>();

  add(subscriber: Subscriber): void {
    const group = this.#byPrefix.get(subscriber.prefix);
    if (group === undefined) this.#byPrefix.set(subscriber.prefix, new Set([subscriber]));
    else group.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    const group = this.#byPrefix.get(subscriber.prefix);
    if (group?.delete(subscriber) && group.size === 0) this.#byPrefix.delete(subscriber.prefix);
  }

  publish(event: StoreEvent): void {
    if (this.#byPrefix.size === 0) return;
    const { key } = event;
    this.#push('', event);
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      this.#push(key.slice(0, slash + 1), event);
    }
    if (!key.endsWith('/')) this.#push(key, event);
  }

  endAll(reason?: Error): void {
    for (const group of this.#byPrefix.values()) {
      for (const subscriber of group) subscriber.end(reason);
    }
  }

  #push(prefix: string, event: StoreEvent): void {
    const group = this.#byPrefix.get(prefix);
    if (group === undefined) return;
    for (const subscriber of group) subscriber.push(event);
  }
}
