import { NODES, type Node } from '#platform/kube/kinds/node';
import { awaitsListing } from '#platform/kube/node-restore';
import type { Index } from './cache.ts';
import type { Context } from './controller.ts';

const awaited: Index<Node> = { values: (node) => (awaitsListing(node) ? ['listing'] : []) };

/**
 * Whether a node has yet to list its machines after a restore. What a backup says of nodes and machines may be long past,
 * and agents start and stop nothing: their silence until then is no reason to give up a node, or to end what is on it.
 */
export function awaitsListings({ cache }: Pick<Context, 'cache'>): boolean {
  for (const _node of cache(NODES).by(awaited, 'listing')) return true;
  return false;
}

/** When something that waits for the listings is looked at again, where no event says that they are there. */
export const LISTINGS_RECHECK_MS = 10_000;
