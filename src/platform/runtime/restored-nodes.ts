import { NODES, type Node } from '#platform/kube/kinds/node';
import { awaitsListing } from '#platform/kube/node-restore';
import type { Index } from './cache.ts';
import type { Context } from './controller.ts';

const awaited: Index<Node> = { values: (node) => (awaitsListing(node) ? ['listing'] : []) };

/**
 * Reports whether a node has yet to list its machines after a restore. A backup's view of nodes and machines may be
 * outdated, and node agents start and stop nothing until then, so their silence is no reason to give up a node or end
 * what runs on it.
 */
export function awaitsListings({ cache }: Pick<Context, 'cache'>): boolean {
  for (const _node of cache(NODES).by(awaited, 'listing')) return true;
  return false;
}

/** Interval at which work that waits for the listings is retried, if no event announces them. */
export const LISTINGS_RECHECK_MS = 10_000;
