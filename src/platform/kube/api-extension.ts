import type { Duplex } from 'node:stream';

/**
 * An API group that is served by code and not stored: subresources.kubevirt.io, metrics.k8s.io. The same one is mounted
 * in the process of an API server, or stands behind an APIService of a real cluster; it knows nothing of either.
 */
export interface ApiExtension {
  readonly group: string;
  readonly version: string;
  /** What discovery tells of it. */
  readonly resources: readonly ExtensionResource[];
  /** The higher, the sooner clients take its kinds for a name that several groups have; 1000 and 15 where absent. */
  readonly priority?: { readonly group: number; readonly version: number };
  /**
   * Answers a request for one of the resources, in a verb that it has, from a user who may make it: whoever mounts the
   * extension has seen to that. A KubeError that is thrown is the answer; anything else is a fault.
   */
  handle(request: ExtensionRequest): ExtensionAnswer | Promise<ExtensionAnswer>;
}

export interface ExtensionResource {
  /** The plural, or `plural/subresource`. */
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Where the kind is of another group version than the resource. */
  readonly kindOf?: { readonly group: string; readonly version: string };
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface ExtensionRequest {
  readonly method: string;
  /** What the method does, in the words of roles: PUT is `update`, GET of a collection `list`. */
  readonly verb: string;
  readonly path: string;
  readonly resource: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** What follows the subresource. */
  readonly rest: string;
  readonly namespace: string;
  /** '' for a collection. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** One header by its name in small letters, several values joined. */
  header(name: string): string | undefined;
  /** Who asks. */
  readonly user: RequestUser;
  body(): Promise<Uint8Array>;
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal;
  /**
   * Takes the connection over, where the client asks to go on with another protocol, such as WebSocket: who calls it
   * writes the whole answer to the socket and returns UPGRADED. Absent where the client does not ask for that, or its
   * connection cannot do it.
   */
  readonly upgrade?: () => UpgradedConnection;
}

export interface RequestUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

export interface UpgradedConnection {
  readonly socket: Duplex;
  /** What the client has sent already beyond its request. */
  readonly head: Uint8Array;
}

/** The connection is somebody else's now. */
export const UPGRADED = 'upgraded';

export type ExtensionAnswer =
  /** JSON; without a body, none. */
  | { readonly status: number; readonly body?: object; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly type: string; readonly text: string }
  /** Goes on until the iteration ends; the client going away ends it. */
  | { readonly status: number; readonly type: string; readonly pieces: AsyncIterable<string> }
  | typeof UPGRADED;
