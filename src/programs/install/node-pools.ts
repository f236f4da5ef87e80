import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { parseCidr } from '#platform/base/cidr';
import { ConfigError, UsageError } from '#platform/base/errors';
import type { NodeFlags } from '#programs/cli/node-flags';
import { type NodePool, shapesOf } from '#vm/node/simulated/node-pool';
import { readPools } from '#vm/node/simulated/pool-file';

/** Which flag says what would stand in a file. */
const FLAGS: Readonly<Record<string, string>> = {
  count: '--nodes',
  prefix: '--node-prefix',
  size: '--node-size',
  resources: '--node-resources',
  labels: '--node-labels',
  zones: '--zones',
};

/** The nodes that flags ask for, or a file. */
export function nodePools(count: number, flags: NodeFlags): NodePool[] {
  const { nodeSize, nodePrefix, zones, nodeLabels, nodeResources, nodeFile } = flags;
  if (nodeFile !== undefined) return fromFile(nodeFile);
  const pool = {
    count,
    // A word alone is set off from the number: node gives node-1.
    prefix: /[A-Za-z0-9]$/.test(nodePrefix) ? `${nodePrefix}-` : nodePrefix,
    size: nodeSize,
    resources: nodeResources ?? {},
    labels: nodeLabels ?? {},
    zones: Array.from({ length: zones }, (_, at) => `zone-${at + 1}`),
  };
  try {
    // As if they stood in a file, so that the same rules hold.
    return readPools(stringify({ pools: [pool] }));
  } catch (error) {
    const causes = (error as Error).message.replaceAll(
      /pools\[0\]\.(\w+)/g,
      (_, field: string) => FLAGS[field] ?? field,
    );
    throw new UsageError(`these nodes cannot be made:\n${causes}`, { cause: error });
  }
}

/** What the nodes of some pools are called. */
export function nodeNames(pools: readonly NodePool[]): string[] {
  return shapesOf(pools, parseCidr('10.246.0.0/16')).map(({ name }) => name);
}

function fromFile(file: string): NodePool[] {
  try {
    return readPools(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`the node pools of ${file} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
