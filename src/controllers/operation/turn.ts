import { hasBegun, isOver, type Operation } from './operation.ts';

/**
 * The operation that another has to wait for: one machine has one operation at a time, first those that have begun, then
 * in the order of their creation. `begun` are the uids of those whose beginning the cache may not show yet.
 */
export function aheadOf(
  operation: Operation,
  others: Iterable<Operation>,
  begun: ReadonlySet<string>,
): Operation | undefined {
  let ahead: Operation | undefined;
  const first = (a: Operation, b: Operation) => compare(a, b, begun) < 0;
  for (const other of others) {
    if (other.metadata.uid === operation.metadata.uid || isOver(other) || !first(other, operation)) continue;
    // The one right before it: that is whom it waits for longest.
    if (ahead === undefined || first(ahead, other)) ahead = other;
  }
  return ahead;
}

function compare(a: Operation, b: Operation, begun: ReadonlySet<string>): number {
  const rank = (operation: Operation) => (hasBegun(operation) || begun.has(operation.metadata.uid) ? 0 : 1);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  const order = (operation: Operation) => [
    operation.metadata.creationTimestamp,
    operation.metadata.name,
    operation.metadata.namespace,
  ];
  const [one, two] = [order(a), order(b)];
  for (const [at, text] of one.entries()) if (text !== two[at]) return text < (two[at] ?? '') ? -1 : 1;
  return 0;
}
