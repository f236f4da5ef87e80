import type { NodePool } from '#vm/node/simulated/node-pool';
import type { NodeGroup } from '../engine/scenario-spec.ts';

/** Converts a node group of a scenario to a node pool: <group>-1, <group>-2 and so on. */
export function poolOf({ name, count, cpu, memory, maxPods, labels = {} }: NodeGroup): NodePool & {
  readonly name: string;
  readonly prefix: string;
} {
  const size = { cpu: `${cpu}`, memory: `${memory}`, pods: `${maxPods}` };
  return { name, prefix: `${name}-`, count, size, labels };
}
