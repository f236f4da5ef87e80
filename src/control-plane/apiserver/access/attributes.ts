import type { User } from './user.ts';

/** Describes a resource request for authorization. */
export interface ResourceAttributes {
  readonly user: User;
  readonly verb: string;
  /** API group; '' is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Namespace; absent or '' at the cluster scope. */
  readonly namespace?: string;
  /** Name; absent or '' if the request names no object: list, watch, create, deletecollection. */
  readonly name?: string;
}

/** Describes a request for a path that is not a resource, such as /version. */
export interface PathAttributes {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

export function isPath(attributes: Attributes): attributes is PathAttributes {
  return 'path' in attributes;
}

/** Decision of an authorizer. The reason is shown to the user and may be ''. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides whether a request is allowed. */
export type Authorize = (attributes: Attributes) => Decision;
