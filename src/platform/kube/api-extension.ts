import type { Duplex } from 'node:stream';

/**
 * API group that is served by code and not stored: subresources.kubevirt.io, metrics.k8s.io. It can be mounted in the
 * process of an API server or run behind an APIService of a real cluster, and is independent of both.
 */
export interface ApiExtension {
  readonly group: string;
  readonly version: string;
  /** Resources that discovery lists. */
  readonly resources: readonly ExtensionResource[];
  /** Priority among groups that share the name of a kind: clients prefer the higher. Defaults to 1000 and 15. */
  readonly priority?: { readonly group: number; readonly version: number };
  /** True if another server checks what it serves, so that requests for any path of the group version reach it. */
  readonly isForwarded?: boolean;
  /**
   * Handles a request for one of the resources, in a supported verb, from a user whom the server that mounts the
   * extension has authorized. A thrown KubeError is the response; any other error is an internal error.
   */
  handle(request: ExtensionRequest): ExtensionAnswer | Promise<ExtensionAnswer>;
}

export interface ExtensionResource {
  /** Plural, or `plural/subresource`. */
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Group and version of the kind, if they differ from those of the resource. */
  readonly kindOf?: { readonly group: string; readonly version: string };
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface ExtensionRequest {
  readonly method: string;
  /** Verb of the method as in roles: PUT is `update`, GET of a collection is `list`. */
  readonly verb: string;
  readonly path: string;
  readonly resource: string;
  /** Subresource. Empty for the resource itself. */
  readonly subresource: string;
  /** Path after the subresource. */
  readonly rest: string;
  readonly namespace: string;
  /** Name of the object. Empty for a collection. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** Returns a header by its lower-case name. Several values are joined. */
  header(name: string): string | undefined;
  readonly user: RequestUser;
  body(): Promise<Uint8Array>;
  /** Signal that is aborted when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /**
   * Takes over the connection for another protocol, such as WebSocket: the caller writes the whole response to the
   * socket and returns UPGRADED. Absent if the client does not request an upgrade, or its connection cannot do it.
   */
  readonly upgrade?: () => UpgradedConnection;
}

export interface RequestUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface UpgradedConnection {
  readonly socket: Duplex;
  /** Data that the client has already sent after its request. */
  readonly head: Uint8Array;
}

/** Response of a handler that has taken over the connection. */
export const UPGRADED = 'upgraded';

export type ExtensionAnswer =
  /** JSON response. Without `body` it has no content. */
  | { readonly status: number; readonly body?: object; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly type: string; readonly text: string }
  /** Streamed response. It continues until the iteration ends or the client disconnects. */
  | {
      readonly status: number;
      readonly type: string;
      readonly pieces: AsyncIterable<string | Uint8Array>;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | typeof UPGRADED;
