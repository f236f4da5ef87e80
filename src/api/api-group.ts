import type { Kind } from '#platform/schema/kind';
import type { ClaimKeys } from './disk/claimed-disk.ts';

/** Describes one API group to the components that serve every group. */
export interface ApiGroup {
  readonly kinds: readonly Kind[];
  /** Labels and annotations of the claims that the group creates for its VMs. Unset if it creates none. */
  readonly claims?: ClaimKeys;
}
