import type { KubeObject } from '#platform/kube/kube-object';
import { keyIn, keyOf } from './key.ts';
import type { ReflectorStore } from './reflector.ts';
import { compareResourceVersions } from './resource-version.ts';

/** Index of objects by some of their values. Its identity is the object itself. */
export interface Index<T extends KubeObject = KubeObject> {
  values(object: T): Iterable<string>;
}

/** Current known state of a resource. Objects are shared and must not be changed. */
export interface Cache<T extends KubeObject = KubeObject> {
  /** Returns an object by `namespace/name`, or by the name of a cluster-scoped object. */
  get(key: string): T | undefined;
  all(): Iterable<T>;
  readonly size: number;
  inNamespace(namespace: string): Iterable<T>;
  /** Returns the objects under a value of an index, which is built on first use and then maintained. */
  by(index: Index<T>, value: string): Iterable<T>;
  /** Newest version of the resource that has been seen. Empty before the first list. */
  readonly version: string;
}

/**
 * Indexes objects by their controller, using `controllerKey`. The key includes the namespace of the owned object,
 * because anyone who knows a uid can name it from any namespace.
 */
export const byController: Index = {
  values: ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((ref) => ref.controller === true)
      .map((ref) => keyIn(metadata.namespace, ref.uid)),
};

/** Returns the index key for the objects of a controller. */
export const controllerKey = ({ metadata }: Pick<KubeObject, 'metadata'>): string =>
  keyIn(metadata.namespace, metadata.uid);

/** Indexes objects that have no controller by their namespace. */
export const uncontrolledIn: Index = {
  values: ({ metadata }) =>
    metadata.ownerReferences?.some((ref) => ref.controller === true) === true ? [] : [metadata.namespace ?? ''],
};

const byNamespace: Index = { values: ({ metadata }) => [metadata.namespace ?? ''] };

export type Change<T extends KubeObject = KubeObject> =
  | { readonly type: 'added'; readonly object: T; readonly old?: undefined }
  | { readonly type: 'updated'; readonly object: T; readonly old: T }
  /** Deletion, with the last known state. */
  | { readonly type: 'deleted'; readonly object: T; readonly old?: undefined };

const NONE: readonly never[] = [];

/** Cache that follows a resource and notifies of its changes after they are applied. */
export class IndexedCache<T extends KubeObject> implements Cache<T>, ReflectorStore<T> {
  readonly #tell: (change: Change<T>) => void;
  readonly #objects = new Map<string, T>();
  /** Keys by index, then value. Keys stay the same while objects change in other ways. */
  readonly #indices = new Map<Index<T>, Map<string, Set<string>>>();
  #version = '';

  constructor(tell: (change: Change<T>) => void = () => {}) {
    this.#tell = tell;
  }

  get version(): string {
    return this.#version;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  all(): Iterable<T> {
    return this.#objects.values();
  }

  inNamespace(namespace: string): Iterable<T> {
    return this.by(byNamespace, namespace);
  }

  by(index: Index<T>, value: string): Iterable<T> {
    let filed = this.#indices.get(index);
    if (filed === undefined) {
      filed = new Map();
      this.#indices.set(index, filed);
      for (const [key, object] of this.#objects) for (const value of index.values(object)) file(filed, value, key);
    }
    const keys = filed.get(value);
    return keys === undefined ? NONE : this.#objectsOf(keys);
  }

  put(object: T): void {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    this.reached(object.metadata.resourceVersion ?? '');
    if (known !== undefined && known.metadata.resourceVersion === object.metadata.resourceVersion) return;
    const same = known === undefined || known.metadata.uid === object.metadata.uid;
    // The name was given to another object between two observations.
    if (!same) this.#drop(key, known);
    const old = same ? known : undefined;
    this.#set(key, object, old);
    this.#tell(old === undefined ? { type: 'added', object } : { type: 'updated', object, old });
  }

  remove(object: T): void {
    this.reached(object.metadata.resourceVersion ?? '');
    const key = keyOf(object);
    if (this.#objects.has(key)) this.#drop(key, object);
  }

  replace(objects: readonly T[], version: string): void {
    const present = new Set(objects.map(keyOf));
    for (const [key, old] of this.#objects) if (!present.has(key)) this.#drop(key, old);
    for (const object of objects) this.put(object);
    // A server that was restored counts from a smaller number again.
    this.#version = version;
  }

  reached(version: string): void {
    if (compareResourceVersions(version, this.#version) > 0) this.#version = version;
  }

  #set(key: string, object: T, old: T | undefined): void {
    this.#objects.set(key, object);
    for (const [index, filed] of this.#indices) {
      const values = toList(index.values(object));
      const before: readonly string[] = old === undefined ? NONE : toList(index.values(old));
      for (const value of before) if (!values.includes(value)) unfile(filed, value, key);
      for (const value of values) if (!before.includes(value)) file(filed, value, key);
    }
  }

  *#objectsOf(keys: ReadonlySet<string>): Generator<T> {
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) yield object;
    }
  }

  #drop(key: string, last: T): void {
    const old = this.#objects.get(key);
    this.#objects.delete(key);
    if (old !== undefined) {
      for (const [index, filed] of this.#indices) for (const value of index.values(old)) unfile(filed, value, key);
    }
    this.#tell({ type: 'deleted', object: last });
  }
}

const toList = (values: Iterable<string>): readonly string[] =>
  Array.isArray(values) ? (values as readonly string[]) : [...values];

function file(filed: Map<string, Set<string>>, value: string, key: string): void {
  const found = filed.get(value);
  if (found === undefined) filed.set(value, new Set([key]));
  else found.add(key);
}

function unfile(filed: Map<string, Set<string>>, value: string, key: string): void {
  const found = filed.get(value);
  if (found?.delete(key) === true && found.size === 0) filed.delete(value);
}
