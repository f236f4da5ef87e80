import { compareResourceVersions } from '../../runtime/resource-version.ts';
import { hasBegun, isOver, type Operation, orderOf } from './operation.ts';

/**
 * One machine has one operation at a time: first those that have begun, then in the order of their creation. Clones leave
 * the machine as it is, and go beside each other. `begun` are the uids of those whose beginning the cache may not show yet.
 */

/** The last of the operations that have to be over before another. */
export function aheadOf(
  operation: Operation,
  others: Iterable<Operation>,
  begun: ReadonlySet<string>,
): Operation | undefined {
  let ahead: Operation | undefined;
  for (const other of others) {
    if (other.metadata.uid === operation.metadata.uid || isOver(other)) continue;
    if ((isClone(other) && isClone(operation)) || !isBefore(other, operation, begun)) continue;
    if (ahead === undefined || isBefore(ahead, other, begun)) ahead = other;
  }
  return ahead;
}

/** The operations whose turn it is. */
export function currentOf(operations: Iterable<Operation>, begun: ReadonlySet<string>): Operation[] {
  const clones: Operation[] = [];
  /** The first that may change the machine. */
  let change: Operation | undefined;
  for (const operation of operations) {
    if (isOver(operation)) continue;
    if (isClone(operation)) clones.push(operation);
    else if (change === undefined || isBefore(operation, change, begun)) change = operation;
  }
  if (change === undefined) return clones;
  const first = change;
  const before = clones.filter((clone) => isBefore(clone, first, begun));
  return before.length > 0 ? before : [first];
}

/** The operation right behind another, which says that it waits for it. */
export function nextAfter(
  operation: Operation,
  others: Iterable<Operation>,
  begun: ReadonlySet<string>,
): Operation | undefined {
  let next: Operation | undefined;
  for (const other of others) {
    if (isOver(other) || !isBefore(operation, other, begun)) continue;
    if (next === undefined || isBefore(other, next, begun)) next = other;
  }
  return next;
}

const isClone = ({ spec }: Operation) => spec.operation === 'clone';

function isBefore(a: Operation, b: Operation, begun: ReadonlySet<string>): boolean {
  const [one, two] = [takesPart(a, begun), takesPart(b, begun)];
  if (one !== two) return one;
  const [first, second] = [a.metadata, b.metadata];
  if (first.creationTimestamp !== second.creationTimestamp) return first.creationTimestamp < second.creationTimestamp;
  const order = compareResourceVersions(orderOf(a), orderOf(b));
  if (order !== 0) return order < 0;
  return first.name === second.name ? first.namespace < second.namespace : first.name < second.name;
}

const takesPart = (operation: Operation, begun: ReadonlySet<string>) =>
  hasBegun(operation) || begun.has(operation.metadata.uid);
