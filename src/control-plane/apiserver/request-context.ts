import type { KubeObject } from '#platform/kube/kube-object';
import type { User } from './access/user.ts';
import type { AnnounceWork } from './flow-control/work.ts';

/** Describes the user and the options of a request, for any verb. */
export interface RequestContext {
  readonly user: User;
  /** Manager that owns the fields written by this request. */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Options that the request itself specified. Admission sees only these. */
  readonly sent?: { readonly fieldManager?: string; readonly fieldValidation?: string };
  /**
   * Returns the problems with the fields of the body, given the unknown ones. Defaults to reporting the unknown fields.
   */
  readonly problems?: (unknown: readonly string[]) => readonly string[];
  /** Warnings to send to the client with the response. */
  readonly warnings: string[];
  readonly signal: AbortSignal;
  /** Announces long work. Absent if the caller is never made to wait. */
  readonly work?: AnnounceWork;
  /** Length of the body. Absent if there was none, as for in-process requests. */
  readonly size?: number;
  /** Object of the request as left by our own admission plugins. */
  admitted?: AdmittedObject;
}

export interface AdmittedObject {
  readonly object: KubeObject;
  /** Reports whether the object was validated against the schema of its resource, with its current name. */
  readonly fits: boolean;
}

/** Reports whether an object was already validated against its schema in its current state. */
export function isFitting({ admitted }: RequestContext, object: KubeObject): boolean {
  return admitted?.fits === true && admitted.object === object;
}
