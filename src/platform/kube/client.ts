import type { KubeObject } from './kube-object.ts';

declare const OBJECT: unique symbol;

/** Names a resource and the type of its objects. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly [OBJECT]?: T;
}

export interface KubeList<T extends KubeObject = KubeObject> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Everything up to the object's resourceVersion has been seen. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface ObjectOptions extends RequestOptions {
  /** Required for namespaced resources. */
  readonly namespace?: string;
}

export interface ListOptions extends ObjectOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends ObjectOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Events after this version; absent: the present state first, as ADDED. */
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** The present state first, and then a bookmark that says so. */
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends ObjectOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** 'status', 'scale' and the like; absent: the object itself. */
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
}

export interface DeleteOptions extends ObjectOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly object[] };

/** The events of a watch, one by one, or as many at once as came together, which costs less. */
export interface Watching<T extends KubeObject> extends AsyncIterable<WatchEvent<T>> {
  batches?(): AsyncIterable<readonly WatchEvent<T>[]>;
}

/**
 * A Kubernetes API server, wherever it is. Objects that come out are shared: nobody may change them. Objects that go in
 * are copied before they are used. Refusals are KubeErrors; a request that could not be sent at all fails with what the
 * transport says. Reads, and writes that the server turned away unseen (429 and, where nothing can have happened, 5xx),
 * are tried again with back-off.
 */
export interface Client {
  get<T extends KubeObject>(type: ResourceType<T>, name: string, options?: ObjectOptions): Promise<T>;
  /** Without a namespace: of all namespaces. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>>;
  /**
   * Changes in order, none lost or repeated. A connection that breaks is made again behind the scenes and goes on
   * where it was; where that place is no longer kept, the iteration throws (isGone) and the caller lists again.
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options?: WatchOptions): Watching<T>;
  create<T extends KubeObject>(type: ResourceType<T>, object: NewObject<T>, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType<T>, name: string, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(type: ResourceType<T>, config: NewObject<T>, options: ApplyOptions): Promise<T>;
  /** The object while it is still there, waiting for others; undefined when it is gone. */
  delete<T extends KubeObject>(type: ResourceType<T>, name: string, options?: DeleteOptions): Promise<T | undefined>;
  deleteCollection<T extends KubeObject>(type: ResourceType<T>, options?: DeleteOptions & ListOptions): Promise<void>;
  /** POST to a subresource that is no part of the object: binding, eviction, token. */
  act(type: ResourceType, name: string, subresource: string, body: object, options?: WriteOptions): Promise<KubeObject>;
  /** GET of any path, for what is no resource: /version, /openapi/v3. */
  raw(path: string, options?: RequestOptions): Promise<string>;
  /** Any method on any path, for what the other methods do not reach: PUT of a subresource of another group. */
  request(request: RawRequest, options?: RequestOptions): Promise<RawAnswer>;
}

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** application/json where absent. */
  readonly contentType?: string;
}

/** A good answer: 2xx. */
export interface RawAnswer {
  readonly status: number;
  /** Decoded where it is JSON, else its text; undefined where there is none. */
  readonly body: unknown;
}

/** What a writer gives: the server fills in the rest. */
export type NewObject<T extends KubeObject> = Omit<T, 'metadata' | 'apiVersion' | 'kind'> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Partial<T['metadata']>;
};
