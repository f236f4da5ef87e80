import type { User } from './user.ts';

/** A request for a resource, as authorisation sees it. */
export interface ResourceAttributes {
  readonly user: User;
  readonly verb: string;
  /** API group; '' is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent or '' at the cluster scope. */
  readonly namespace?: string;
  /** Absent or '' where the request names no object: list, watch, create, deletecollection. */
  readonly name?: string;
}

/** A request for a path that is no resource, such as /version. */
export interface PathAttributes {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

/** Tells a path from a resource. */
export function isPath(attributes: Attributes): attributes is PathAttributes {
  return 'path' in attributes;
}

/** An authoriser's answer; the reason is shown to the user and may be ''. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides whether a request may go on. */
export type Authorize = (attributes: Attributes) => Decision;
