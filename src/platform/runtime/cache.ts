import type { KubeObject } from '#platform/kube/kube-object';
import { keyIn, keyOf } from './key.ts';
import type { ReflectorStore } from './reflector.ts';
import { compareResourceVersions } from './resource-version.ts';

/** A way to find objects by something they hold: the values under which one is filed. Each is its own identity. */
export interface Index<T extends KubeObject = KubeObject> {
  values(object: T): Iterable<string>;
}

/** What is known of a resource at the moment. Objects are shared: nobody may change them. */
export interface Cache<T extends KubeObject = KubeObject> {
  /** By `namespace/name`, or the name of a cluster-wide object. */
  get(key: string): T | undefined;
  all(): Iterable<T>;
  readonly size: number;
  inNamespace(namespace: string): Iterable<T>;
  /** An index is built when it is first used and kept from then on. */
  by(index: Index<T>, value: string): Iterable<T>;
  /** The newest version of the resource that has been seen; '' before the first list. */
  readonly version: string;
}

/**
 * Files objects under their controller, by `controllerKey`. Owners are in the namespace of what they own: a uid alone can
 * be named by anybody who knows it, from any namespace.
 */
export const byController: Index = {
  values: ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((ref) => ref.controller === true)
      .map((ref) => keyIn(metadata.namespace, ref.uid)),
};

/** Where the objects of a controller are filed. */
export const controllerKey = ({ metadata }: Pick<KubeObject, 'metadata'>): string =>
  keyIn(metadata.namespace, metadata.uid);

/** Files objects that have no controller under their namespace. */
export const uncontrolledIn: Index = {
  values: ({ metadata }) =>
    metadata.ownerReferences?.some((ref) => ref.controller === true) === true ? [] : [metadata.namespace ?? ''],
};

const byNamespace: Index = { values: ({ metadata }) => [metadata.namespace ?? ''] };

export type Change<T extends KubeObject = KubeObject> =
  | { readonly type: 'added'; readonly object: T; readonly old?: undefined }
  | { readonly type: 'updated'; readonly object: T; readonly old: T }
  /** With the last state that is known. */
  | { readonly type: 'deleted'; readonly object: T; readonly old?: undefined };

const NONE: readonly never[] = [];

/** A cache that follows a resource and tells what changes, after it has changed. */
export class IndexedCache<T extends KubeObject> implements Cache<T>, ReflectorStore<T> {
  readonly #tell: (change: Change<T>) => void;
  readonly #objects = new Map<string, T>();
  /** By index, then value: keys, which stay as they are while objects change in other ways. */
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
    // The name was given to another object while nobody looked.
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
    // A server that was set back counts from a smaller number again.
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
