import { CPU_CONSUMPTION, MEMORY_CONSUMPTION } from '../api/launcher.ts';
import { loadIn } from '../api/launcher-load.ts';
import { parseQuantity, toNumber, tryParseQuantity } from '../base/quantity.ts';
import type { Node } from './kinds/node.ts';
import type { Pod } from './kinds/pod.ts';

const ANNOTATIONS = { cpu: CPU_CONSUMPTION, memory: MEMORY_CONSUMPTION } as const;

/** How much of its node a simulated pod says that it uses, in cores or bytes; undefined where it says nothing. */
export function consumed({ metadata }: Pod, node: Node | undefined, resource: 'cpu' | 'memory'): number | undefined {
  const given = metadata.annotations?.[ANNOTATIONS[resource]];
  if (given === undefined) return undefined;
  const share = Number(given);
  if (!(share > 0 && Number.isFinite(share))) return 0;
  const most = resource === 'memory' ? Math.min(1, share) : share;
  // The node that the pod says, else its own.
  const amount = tryParseQuantity(loadIn(metadata.annotations)?.node[resource] ?? '');
  return most * (amount === undefined ? allocatable(node, resource) : toNumber(amount));
}

export function allocatable(node: Node | undefined, resource: 'cpu' | 'memory'): number {
  const amount = node?.status?.allocatable?.[resource];
  return amount === undefined ? 0 : toNumber(parseQuantity(amount));
}
