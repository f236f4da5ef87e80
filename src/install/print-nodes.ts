import type { NodesSettings } from '../cli/nodes.ts';
import { kwokManifests } from '../node/simulated/kwok/manifests.ts';
import { nodePools } from './node-pools.ts';

/** The simulated nodes as manifests for KWOK. */
export function printNodes(settings: NodesSettings): string {
  return kwokManifests(nodePools(settings.count, settings));
}
