import { CPU_CONSUMPTION, MEMORY_CONSUMPTION } from '#api/launcher';
import { parseLoad } from '#api/launcher-load';
import { parseQuantity, toNumber, tryParseQuantity } from '#platform/base/quantity';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';

const ANNOTATIONS = { cpu: CPU_CONSUMPTION, memory: MEMORY_CONSUMPTION } as const;

/** Returns the usage that a simulated pod declares, in cores or bytes, or undefined if it declares none. */
export function consumptionOf(
  { metadata }: Pod,
  node: Node | undefined,
  resource: 'cpu' | 'memory',
): number | undefined {
  const given = metadata.annotations?.[ANNOTATIONS[resource]];
  if (given === undefined) return undefined;
  const share = Number(given);
  if (!(share > 0 && Number.isFinite(share))) return 0;
  const max = resource === 'memory' ? Math.min(1, share) : share;
  // The node size in the annotation takes precedence over that of the pod's node.
  const amount = tryParseQuantity(parseLoad(metadata.annotations)?.node[resource] ?? '');
  return max * (amount === undefined ? allocatable(node, resource) : toNumber(amount));
}

export function allocatable(node: Node | undefined, resource: 'cpu' | 'memory'): number {
  const amount = node?.status?.allocatable?.[resource];
  return amount === undefined ? 0 : toNumber(parseQuantity(amount));
}
