import { compareResourceVersions } from '#platform/runtime/resource-version';
import { hasBegun, isOver, type Operation, orderOf } from './operation.ts';

/**
 * One machine has one operation at a time: first those that have begun, then in the order of their creation. Clones leave
 * the machine as it is, and go beside each other. One that names a snapshot which is not there stands aside, and so does
 * one that has waited in vain for anything else before it could begin: others go on until it begins.
 */
export interface Standing {
  /** The uids of those whose beginning the cache may not show yet. */
  readonly begun: ReadonlySet<string>;
  /** Whether something that it cannot begin without is not there. */
  readonly lacks: (operation: Operation) => boolean;
}

/** The last of the operations that have to be over before another. */
export function aheadOf(operation: Operation, others: Iterable<Operation>, standing: Standing): Operation | undefined {
  let ahead: Operation | undefined;
  for (const other of others) {
    if (other.metadata.uid === operation.metadata.uid || isOver(other) || isAside(other, standing)) continue;
    if ((isClone(other) && isClone(operation)) || !isBefore(other, operation, standing)) continue;
    if (ahead === undefined || isBefore(ahead, other, standing)) ahead = other;
  }
  return ahead;
}

/** The operations whose turn it is, and those that stand aside, which may say so. */
export function currentOf(operations: Iterable<Operation>, standing: Standing): Operation[] {
  const clones: Operation[] = [];
  const aside: Operation[] = [];
  /** The first that may change the machine. */
  let change: Operation | undefined;
  for (const operation of operations) {
    if (isOver(operation)) continue;
    if (isAside(operation, standing)) aside.push(operation);
    else if (isClone(operation)) clones.push(operation);
    else if (change === undefined || isBefore(operation, change, standing)) change = operation;
  }
  if (change === undefined) return [...clones, ...aside];
  const first = change;
  const before = clones.filter((clone) => isBefore(clone, first, standing));
  return [...(before.length > 0 ? before : [first]), ...aside];
}

/** The operation right behind another, which says that it waits for it. */
export function nextAfter(
  operation: Operation,
  others: Iterable<Operation>,
  standing: Standing,
): Operation | undefined {
  let next: Operation | undefined;
  for (const other of others) {
    if (isOver(other) || isAside(other, standing) || !isBefore(operation, other, standing)) continue;
    if (next === undefined || isBefore(other, next, standing)) next = other;
  }
  return next;
}

const isClone = ({ spec }: Operation) => spec.operation === 'clone';

function isBefore(a: Operation, b: Operation, standing: Standing): boolean {
  const [one, two] = [takesPart(a, standing), takesPart(b, standing)];
  if (one !== two) return one;
  const [first, second] = [a.metadata, b.metadata];
  if (first.creationTimestamp !== second.creationTimestamp) return first.creationTimestamp < second.creationTimestamp;
  const order = compareResourceVersions(orderOf(a), orderOf(b));
  if (order !== 0) return order < 0;
  return first.name === second.name ? first.namespace < second.namespace : first.name < second.name;
}

const isAside = (operation: Operation, standing: Standing) =>
  !takesPart(operation, standing) && standing.lacks(operation);

const takesPart = (operation: Operation, { begun }: Standing) =>
  hasBegun(operation) || begun.has(operation.metadata.uid);
