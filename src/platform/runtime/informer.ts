import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client, ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Cache, type Change, IndexedCache } from './cache.ts';
import { type ReflectorStore, runReflector, type Selection } from './reflector.ts';
import type { Runnable } from './runnable.ts';
import { waitForAbort } from './wait-for-abort.ts';

export interface InformerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export type Listener<T extends KubeObject> = (change: Change<T>) => void;

/** Keeps a cache of a resource up to date and notifies listeners of its changes. */
export class Informer<T extends KubeObject = KubeObject> implements Runnable {
  readonly name: string;
  readonly #parts: InformerDeps;
  readonly #type: ResourceType<T>;
  readonly #selection: Selection;
  readonly #listeners = new Set<Listener<T>>();
  readonly #cache = new IndexedCache<T>((change) => this.#tell(change));
  readonly #synced = Promise.withResolvers<void>();
  #waiting: PromiseWithResolvers<void>[] = [];
  #again: AbortController | undefined;
  #isSynced = false;

  constructor(parts: InformerDeps, type: ResourceType<T>, selection: Selection = {}) {
    this.name = `informer of ${type.plural}${type.group === '' ? '' : `.${type.group}`}`;
    this.#parts = parts;
    this.#type = type;
    this.#selection = selection;
  }

  get cache(): Cache<T> {
    return this.#cache;
  }

  /** Resolves when the cache shows the whole resource for the first time. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Adds a listener and returns a function that removes it. Existing objects are sent at once, as added. */
  onChange(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    for (const object of this.#cache.all()) this.#hand(listener, { type: 'added', object });
    return () => void this.#listeners.delete(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#again = new AbortController();
      const either = AbortSignal.any([signal, this.#again.signal]);
      // Only earlier callers are resolved, because a list in progress may be too old for later ones.
      const waiting = this.#waiting.splice(0);
      const store = this.#sink(waiting);
      await runReflector({ ...this.#parts, type: this.#type, selection: this.#selection, store }, either);
      this.#waiting.unshift(...waiting);
    }
  }

  /**
   * Lists everything again. Resolves when the cache shows a state that is no older than this call, or on the signal.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    const listed = Promise.withResolvers<void>();
    this.#waiting.push(listed);
    this.#again?.abort();
    await Promise.race([listed.promise, waitForAbort(signal)]);
  }

  #sink(waiting: PromiseWithResolvers<void>[]): ReflectorStore<T> {
    const cache = this.#cache;
    const synced = () => {
      this.#isSynced = true;
      this.#synced.resolve();
    };
    return {
      put: (object) => cache.put(object),
      remove: (object) => cache.remove(object),
      reached: (version) => cache.reached(version),
      replace(objects, version) {
        cache.replace(objects, version);
        synced();
        for (const each of waiting.splice(0)) each.resolve();
      },
    };
  }

  #tell(change: Change<T>): void {
    for (const listener of this.#listeners) this.#hand(listener, change);
  }

  /** Calls a listener and catches its errors, so that the others still get the change. */
  #hand(listener: Listener<T>, change: Change<T>): void {
    try {
      listener(change);
    } catch (error) {
      this.#parts.log.error({ informer: this.name, err: error as Error }, 'a listener failed');
    }
  }
}
