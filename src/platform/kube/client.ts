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
  /** All changes up to the object's resourceVersion have been sent. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface ObjectOptions extends RequestOptions {
  /** Namespace of the object. Required for namespaced resources. */
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
  /** Version after which events start. If absent, the current state comes first, as ADDED. */
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Sends the current state first, and then a bookmark that marks its end. */
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends ObjectOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Subresource such as 'status' or 'scale'. If absent, the request is for the object itself. */
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

/** Events of a watch, one by one, or in batches as they arrived, which costs less. */
export interface Watching<T extends KubeObject> extends AsyncIterable<WatchEvent<T>> {
  batches?(): AsyncIterable<readonly WatchEvent<T>[]>;
}

/**
 * Client of a Kubernetes API server, in this process or elsewhere. Returned objects are shared and must not be changed;
 * objects that are passed in are copied before use. Rejections are KubeErrors; a request that could not be sent fails
 * with the error of the transport. Reads, and writes that the server rejected unprocessed (429 and, where nothing can
 * have happened, 5xx), are retried with back-off.
 */
export interface Client {
  get<T extends KubeObject>(type: ResourceType<T>, name: string, options?: ObjectOptions): Promise<T>;
  /** Lists objects. Without a namespace, it lists those of all namespaces. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>>;
  /**
   * Watches changes in order, none lost or repeated. A broken connection is resumed transparently; if its version is no
   * longer retained, the iteration throws (isGone) and the caller lists again.
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options?: WatchOptions): Watching<T>;
  create<T extends KubeObject>(type: ResourceType<T>, object: NewObject<T>, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType<T>, name: string, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Sends a server-side apply. */
  apply<T extends KubeObject>(type: ResourceType<T>, config: NewObject<T>, options: ApplyOptions): Promise<T>;
  /** Deletes an object. Returns it while it is still terminating, and undefined when it is gone. */
  delete<T extends KubeObject>(type: ResourceType<T>, name: string, options?: DeleteOptions): Promise<T | undefined>;
  deleteCollection<T extends KubeObject>(type: ResourceType<T>, options?: DeleteOptions & ListOptions): Promise<void>;
  /** Sends a POST to a subresource that is not part of the object: binding, eviction, token. */
  act(type: ResourceType, name: string, subresource: string, body: object, options?: WriteOptions): Promise<KubeObject>;
  /** Sends a GET to any path that is not a resource: /version, /openapi/v3. */
  raw(path: string, options?: RequestOptions): Promise<string>;
  /**
   * Sends any method to any path, for requests that the other methods do not cover: PUT of a subresource of another
   * group.
   */
  request(request: RawRequest, options?: RequestOptions): Promise<RawResponse>;
}

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its query. */
  readonly path: string;
  /** Body, sent as JSON. */
  readonly body?: object;
  /** Content type of the body. Defaults to application/json. */
  readonly contentType?: string;
}

/** Successful response: 2xx. */
export interface RawResponse {
  readonly status: number;
  /** Decoded body if it is JSON, else its text. Undefined if there is none. */
  readonly body: unknown;
}

/** Object as passed by a writer. The server fills in the rest. */
export type NewObject<T extends KubeObject> = Omit<T, 'metadata' | 'apiVersion' | 'kind'> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Partial<T['metadata']>;
};
