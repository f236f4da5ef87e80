import type { NodeSize } from '#api/launcher-load';
import { compare, isZero, tryParseQuantity } from '#platform/base/quantity';
import type { Node } from '#platform/kube/kinds/node';

/** Reports whether a node is simulated by us or by KWOK, so that nothing real runs there. */
export function isSimulatedNode({ metadata: { labels, annotations } }: Node): boolean {
  return (
    labels?.['type'] === 'kwok' ||
    labels?.['vimana.io/runtime'] === 'simulated' ||
    annotations?.['kwok.x-k8s.io/node'] === 'fake'
  );
}

/** Returns the common size of all simulated nodes, or undefined if they differ or there are none. */
export function sharedSize(nodes: Iterable<Node>): NodeSize | undefined {
  let shared: NodeSize | undefined;
  for (const node of nodes) {
    const size = isSimulatedNode(node) ? sizeOf(node) : undefined;
    if (size === undefined) continue;
    if (shared !== undefined && !isSame(shared, size)) return undefined;
    shared ??= size;
  }
  return shared;
}

/** Returns the size of a node, or undefined if it has not reported one or has no capacity. */
function sizeOf({ status }: Node): NodeSize | undefined {
  const { cpu, memory } = status?.allocatable ?? {};
  if (cpu === undefined || memory === undefined || isNothing(cpu) || isNothing(memory)) return undefined;
  return { cpu: String(cpu), memory: String(memory) };
}

function isNothing(amount: string | number): boolean {
  const quantity = tryParseQuantity(amount);
  return quantity === undefined || isZero(quantity);
}

function isSame(a: NodeSize, b: NodeSize): boolean {
  return isEqual(a.cpu, b.cpu) && isEqual(a.memory, b.memory);
}

function isEqual(a: string, b: string): boolean {
  if (a === b) return true;
  const [x, y] = [tryParseQuantity(a), tryParseQuantity(b)];
  return x !== undefined && y !== undefined && compare(x, y) === 0;
}
