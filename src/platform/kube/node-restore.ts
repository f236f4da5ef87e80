import type { Node } from './kinds/node.ts';

/**
 * Annotations of nodes by which a cluster that was restored from a backup finds out what really runs. `vimana restore`
 * marks every node with the first; its agent answers with the second, and takes both away when it is done.
 */
export const NODE_RESTORE_ANNOTATION = 'vimana.io/restore';
export const RESTORE_LISTING_ANNOTATION = 'vimana.io/restore-machines';

/** What the second one says: which restore it answers to, and the machines of the node as `namespace/name`. */
export interface RestoreListing {
  readonly restore: string;
  readonly machines: readonly string[];
}

/** The restore that a node has to answer to. */
export function restoreOf({ metadata }: Node): string | undefined {
  return metadata.annotations?.[NODE_RESTORE_ANNOTATION];
}

/** What a node has answered; what cannot be read is no answer. */
export function listingOf({ metadata }: Node): RestoreListing | undefined {
  try {
    const listing = JSON.parse(metadata.annotations?.[RESTORE_LISTING_ANNOTATION] ?? 'null') as RestoreListing | null;
    return typeof listing?.restore === 'string' && Array.isArray(listing.machines) ? listing : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a node has to list its machines after a restore, and has not. */
export function awaitsListing(node: Node): boolean {
  const restore = restoreOf(node);
  return restore !== undefined && listingOf(node)?.restore !== restore;
}
