import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import type { UpSettings } from '#programs/cli/up';
import { nodePools } from '#programs/install/node-pools';
import type { NodePool } from '#vm/node/simulated/node-pool';

const recordIn = (dataDir: string) => join(dataDir, 'nodes.json');

/** Returns the node pools of the previous start of a data directory, if it has recorded them. */
export function recordedPools(dataDir: string): NodePool[] | undefined {
  try {
    const { pools } = JSON.parse(readFileSync(recordIn(dataDir), 'utf8')) as { readonly pools?: NodePool[] };
    return Array.isArray(pools) ? pools : undefined;
  } catch {
    return undefined;
  }
}

export function recordPools(dataDir: string, pools: readonly NodePool[]): void {
  writePrivateFile(recordIn(dataDir), `${JSON.stringify({ pools }, undefined, 2)}\n`);
}

/** Returns the pools that flags request. Without such flags, the nodes are those of the previous start. */
export function requestedPools(settings: UpSettings, earlier: readonly NodePool[] | undefined): readonly NodePool[] {
  return settings.nodesGiven || earlier === undefined ? nodePools(settings.nodes, settings) : earlier;
}
