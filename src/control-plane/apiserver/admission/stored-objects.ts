import type { KubeObject } from '#platform/kube/kube-object';
import type { ParsedObjects } from '../parsed-objects.ts';
import type { Registry } from '../registry.ts';
import { keyOf } from '../resource.ts';
import type { Entry, Store } from '../store/store.ts';

/** Where plugins find objects. */
export interface ObjectSource {
  readonly store: Store;
  readonly registry: Registry;
  readonly parsed: ParsedObjects;
}

/** The object of that name as it is stored; undefined where there is none. Nobody may change it. */
export function readObject(
  { store, registry, parsed }: ObjectSource,
  group: string,
  version: string,
  plural: string,
  namespace: string,
  name: string,
): KubeObject | undefined {
  const resource = registry.find(group, version, plural);
  const entry = resource === undefined ? undefined : store.get(keyOf(resource, namespace, name));
  return entry === undefined ? undefined : parsed.get(entry);
}

/** Hears of every change: what an object is now, and what it was. */
export type Changed = (now: KubeObject | undefined, before: KubeObject | undefined) => void;

const NONE: ReadonlyMap<string, KubeObject> = new Map();

/**
 * All objects of a built-in resource, kept at the state of the store until the signal ends it, so that a plugin whose
 * kind nobody uses costs a request nothing.
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

  /** Counts the changes, so that what is made of the objects knows when it is behind. */
  get version(): number {
    return this.#version;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  /** The objects of a namespace ('' for those that live in none) by name. */
  in(namespace: string): ReadonlyMap<string, KubeObject> {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  *[Symbol.iterator](): Generator<KubeObject> {
    for (const objects of this.#byNamespace.values()) yield* objects.values();
  }

  /** Tells of every object that is there, and from then on of every change. */
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
