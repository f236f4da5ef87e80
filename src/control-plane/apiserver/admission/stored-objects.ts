import type { KubeObject } from '#platform/kube/kube-object';
import type { ObjectSource } from '../object-source.ts';
import type { ParsedObjects } from '../parsed-objects.ts';
import type { Entry, Store } from '../store/store.ts';

/** Handles a change of an object from one state to another. */
export type Changed = (now: KubeObject | undefined, before: KubeObject | undefined) => void;

const NONE: ReadonlyMap<string, KubeObject> = new Map();

/**
 * Index of all objects of a built-in resource, kept in sync with the store until the signal aborts. A plugin without
 * configured objects then costs a request nothing.
 */
export class StoredObjects {
  readonly #byNamespace = new Map<string, Map<string, KubeObject>>();
  #changed: Changed | undefined;
  #size = 0;
  #version = 0;

  constructor(
    { store, registry, parsed }: ObjectSource,
    group: string,
    version: string,
    plural: string,
    signal: AbortSignal,
  ) {
    const resource = registry.find(group, version, plural);
    if (resource === undefined) throw new Error(`${plural} are not served`);
    const { prefix } = resource.storage;
    const { entries, revision } = store.range({ prefix });
    for (const entry of entries) this.#put(parsed.get(entry));
    void this.#follow(store, parsed, prefix, revision, signal);
  }

  get size(): number {
    return this.#size;
  }

  /** Number of changes, by which derived data detects that it is outdated. */
  get version(): number {
    return this.#version;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  /** Returns the objects of a namespace by name. Use '' for cluster-scoped ones. */
  in(namespace: string): ReadonlyMap<string, KubeObject> {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  *[Symbol.iterator](): Generator<KubeObject> {
    for (const objects of this.#byNamespace.values()) yield* objects.values();
  }

  /** Calls the handler for every existing object, and then for every change. */
  tell(changed: Changed): void {
    for (const object of this) changed(object, undefined);
    this.#changed = changed;
  }

  async #follow(
    store: Store,
    parsed: ParsedObjects,
    prefix: string,
    after: number,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const batch of store.watch({ prefix, after, signal })) {
      for (const event of batch) {
        if (event.type === 'put') this.#put(parsed.get(event.entry));
        else if (event.type === 'delete') this.#drop(parsed, event.previous);
      }
    }
  }

  #put(object: KubeObject): void {
    const { namespace = '', name = '' } = object.metadata;
    let objects = this.#byNamespace.get(namespace);
    if (objects === undefined) {
      objects = new Map();
      this.#byNamespace.set(namespace, objects);
    }
    const before = objects.get(name);
    if (before === undefined) this.#size++;
    objects.set(name, object);
    this.#version++;
    this.#changed?.(object, before);
  }

  #drop(parsed: ParsedObjects, entry: Entry): void {
    const { namespace = '', name = '' } = parsed.get(entry).metadata;
    const objects = this.#byNamespace.get(namespace);
    const before = objects?.get(name);
    if (objects === undefined || before === undefined) return;
    objects.delete(name);
    if (objects.size === 0) this.#byNamespace.delete(namespace);
    this.#size--;
    this.#version++;
    this.#changed?.(undefined, before);
  }
}
