import type { NodesSettings } from '#programs/cli/nodes';
import { kwokManifests } from '#vm/node/simulated/kwok/manifests';
import { nodePools } from './node-pools.ts';

/** Formats the simulated nodes as manifests for KWOK. */
export function printNodes(settings: NodesSettings): string {
  return kwokManifests(nodePools(settings.count, settings));
}
