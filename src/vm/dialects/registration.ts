import type { Kind } from '#platform/schema/kind';
import type { Admitter } from '#vm/admission/admitter';
import type { Dialect } from '#vm/engine/dialect';

/** Everything about an API group that programs need, besides its kinds and its controllers. */
export interface DialectRegistration {
  readonly dialect: Dialect;
  /** Admitters of all kinds of the group. */
  readonly admitters: readonly Admitter[];
  /** Kinds that the admitters look up. */
  readonly lookups?: readonly Kind[];
  /** Example to apply for the first VMs: a file, or a directory that ends in a slash. */
  readonly example: string;
}
