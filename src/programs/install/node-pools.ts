import { readFileSync } from 'node:fs';
import type { Runtime } from '#api/runtime';
import { parseCidr } from '#platform/base/cidr';
import { ConfigError, UsageError } from '#platform/base/errors';
import type { NodeFlags } from '#programs/cli/node-flags';
import { type NodePool, shapesOf } from '#vm/node/simulated/node-pool';
import { readPools } from '#vm/node/simulated/pool-file';

/** Flag that corresponds to each field of a file. */
const FLAGS: Readonly<Record<string, string>> = {
  count: '--nodes',
  prefix: '--node-prefix',
  size: '--node-size',
  resources: '--node-resources',
  labels: '--node-labels',
  zones: '--zones',
};

/** Returns the node pools that flags or a file request. */
export function nodePools(count: number, flags: NodeFlags & { readonly runtime?: Runtime }): NodePool[] {
  const { nodeSize, nodePrefix, zones, nodeLabels, nodeResources, nodeFile } = flags;
  if (nodeFile !== undefined) return fromFile(nodeFile);
  const pool = {
    count,
    ...(flags.runtime === 'qemu' ? { runtime: flags.runtime } : {}),
    // A prefix that ends in a letter or digit is separated from the number: node gives node-1.
    prefix: /[A-Za-z0-9]$/.test(nodePrefix) ? `${nodePrefix}-` : nodePrefix,
    size: nodeSize,
    resources: nodeResources ?? {},
    labels: nodeLabels ?? {},
    zones: Array.from({ length: zones }, (_, at) => `zone-${at + 1}`),
  };
  try {
    // The flags are read like a file, so that the same rules apply.
    return readPools(JSON.stringify({ pools: [pool] }));
  } catch (error) {
    const causes = (error as Error).message.replaceAll(
      /pools\[0\]\.(\w+)/g,
      (_, field: string) => FLAGS[field] ?? field,
    );
    throw new UsageError(`these nodes cannot be created:\n${causes}`, { cause: error });
  }
}

/** Returns the names of the nodes of some pools. */
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
