import type { Runtime } from '#api/runtime';
import { type Cidr, firstHost } from '#platform/base/cidr';
import { formatIp } from '#platform/base/ip';
import type { Taint } from '#platform/kube/kinds/node';
import type { NodeShape } from './node-object.ts';
import { DEFAULT_SIZE, type NodeResources } from './node-size.ts';

/** Group of nodes with the same properties. */
export interface NodePool {
  /** Name by which the pool is scaled. Defaults to ''. */
  readonly name?: string;
  readonly count: number;
  /** Defaults to simulated. */
  readonly runtime?: Runtime;
  /** Prefix of node names, followed by a number. Defaults to kwok-node-. */
  readonly prefix?: string;
  readonly size?: NodeResources;
  /** Resources beyond cpu, memory, pods and storage, such as nvidia.com/gpu. */
  readonly resources?: NodeResources;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Zones that nodes are distributed over in turn. */
  readonly zones?: readonly string[];
}

export const DEFAULT_PREFIX = 'kwok-node-';
const DEFAULT_ZONES = ['zone-1'];

/** Returns all nodes of some pools. Pools with the same prefix share one numbering. */
export function shapesOf(pools: readonly NodePool[], range: Cidr): NodeShape[] {
  const numbers = new Map<string, number>();
  const first = firstHost(range);
  const shapes: NodeShape[] = [];
  for (const pool of pools) {
    const { prefix = DEFAULT_PREFIX, zones = DEFAULT_ZONES, size = DEFAULT_SIZE, resources = {} } = pool;
    for (let i = 0; i < pool.count; i++) {
      const number = (numbers.get(prefix) ?? 0) + 1;
      numbers.set(prefix, number);
      shapes.push({
        name: `${prefix}${number}`,
        address: formatIp({ family: first.family, value: first.value + BigInt(shapes.length) }),
        runtime: pool.runtime ?? 'simulated',
        zone: zones[i % zones.length] ?? '',
        labels: pool.labels ?? {},
        annotations: pool.annotations ?? {},
        taints: pool.taints ?? [],
        resources: { ...size, ...resources },
      });
    }
  }
  return shapes;
}
