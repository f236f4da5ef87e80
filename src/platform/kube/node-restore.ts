import { NODE_RESTORE_ANNOTATION, RESTORE_LISTING_ANNOTATION, type RestoreListing } from '#api/restore';
import type { Node } from './kinds/node.ts';

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
