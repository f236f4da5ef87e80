import type { Node } from './kinds/node.ts';

/**
 * Annotations of nodes by which a cluster that was restored from a backup finds out what really runs. `vimana restore`
 * sets the first on every node; the node agent replies with the second, and removes both when it is done.
 */
export const NODE_RESTORE_ANNOTATION = 'vimana.io/restore';
export const RESTORE_LISTING_ANNOTATION = 'vimana.io/restore-machines';

/** Value of the second annotation: the restore it replies to, and the machines of the node as `namespace/name`. */
export interface RestoreListing {
  readonly restore: string;
  readonly machines: readonly string[];
}

/** Returns the restore to which a node must reply. */
export function restoreOf({ metadata }: Node): string | undefined {
  return metadata.annotations?.[NODE_RESTORE_ANNOTATION];
}

/** Returns the reply of a node. An unreadable reply counts as none. */
export function listingOf({ metadata }: Node): RestoreListing | undefined {
  try {
    const listing = JSON.parse(metadata.annotations?.[RESTORE_LISTING_ANNOTATION] ?? 'null') as RestoreListing | null;
    return typeof listing?.restore === 'string' && Array.isArray(listing.machines) ? listing : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether a node must list its machines after a restore, and has not done so. */
export function awaitsListing(node: Node): boolean {
  const restore = restoreOf(node);
  return restore !== undefined && listingOf(node)?.restore !== restore;
}
