import type { KubeObject } from '#platform/kube/kube-object';
import type { User } from './access/user.ts';
import type { AnnounceWork } from './flow-control/work.ts';

/** Who asks, and how a request is to be treated, whichever verb it has. */
export interface RequestContext {
  readonly user: User;
  /** Who owns the fields that this request writes. */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** What of these the request says itself: admission hears of no more. */
  readonly sent?: { readonly fieldManager?: string; readonly fieldValidation?: string };
  /** What is wrong with the fields of the body, given the unknown ones; absent: that they are unknown. */
  readonly problems?: (unknown: readonly string[]) => readonly string[];
  /** Told to the client beside the answer. */
  readonly warnings: string[];
  readonly signal: AbortSignal;
  /** For long work; absent where nobody makes the caller wait. */
  readonly work?: AnnounceWork;
  /** The length of the body; absent where there was none, as in the same process. */
  readonly size?: number;
  /** What our own admission has made of the object of the request. */
  admitted?: AdmittedObject;
}

export interface AdmittedObject {
  readonly object: KubeObject;
  /** Whether it was held against the schema of its resource, with the name that it has. */
  readonly fits: boolean;
}

/** Whether an object was held against its schema already, as it is. */
export function isFitting({ admitted }: RequestContext, object: KubeObject): boolean {
  return admitted?.fits === true && admitted.object === object;
}
