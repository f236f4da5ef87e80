import { compareResourceVersions } from '#platform/runtime/resource-version';
import { hasStarted, isFinished, type Operation, orderOf } from './operation.ts';

/**
 * One machine has one operation at a time: first those that have begun, then in the order of their creation. Clones leave
 * the machine as it is, and go beside each other. One that names a snapshot which is not there stands aside, and so does
 * one that has waited in vain for anything else before it could begin: others go on until it begins.
 */
export interface QueueState {
  /** The uids of those whose beginning the cache may not show yet. */
  readonly started: ReadonlySet<string>;
  /** Whether something that it cannot begin without is not there. */
  readonly isBlocked: (operation: Operation) => boolean;
}

/** The last of the operations that have to be over before another. */
export function blockingOperation(
  operation: Operation,
  others: Iterable<Operation>,
  standing: QueueState,
): Operation | undefined {
  let ahead: Operation | undefined;
  for (const other of others) {
    if (other.metadata.uid === operation.metadata.uid || isFinished(other) || isYielding(other, standing)) continue;
    if ((isClone(other) && isClone(operation)) || !isBefore(other, operation, standing)) continue;
    if (ahead === undefined || isBefore(ahead, other, standing)) ahead = other;
  }
  return ahead;
}

/** The operations whose turn it is, and those that stand aside, which may say so. */
export function runnableOperations(operations: Iterable<Operation>, standing: QueueState): Operation[] {
  const clones: Operation[] = [];
  const aside: Operation[] = [];
  /** The first that may change the machine. */
  let change: Operation | undefined;
  for (const operation of operations) {
    if (isFinished(operation)) continue;
    if (isYielding(operation, standing)) aside.push(operation);
    else if (isClone(operation)) clones.push(operation);
    else if (change === undefined || isBefore(operation, change, standing)) change = operation;
  }
  if (change === undefined) return [...clones, ...aside];
  const first = change;
  const before = clones.filter((clone) => isBefore(clone, first, standing));
  return [...(before.length > 0 ? before : [first]), ...aside];
}

/** The operation right behind another, which says that it waits for it. */
export function nextInQueue(
  operation: Operation,
  others: Iterable<Operation>,
  standing: QueueState,
): Operation | undefined {
  let next: Operation | undefined;
  for (const other of others) {
    if (isFinished(other) || isYielding(other, standing) || !isBefore(operation, other, standing)) continue;
    if (next === undefined || isBefore(other, next, standing)) next = other;
  }
  return next;
}

const isClone = ({ spec }: Operation) => spec.operation === 'clone';

function isBefore(a: Operation, b: Operation, standing: QueueState): boolean {
  const [one, two] = [isStartedOrStarting(a, standing), isStartedOrStarting(b, standing)];
  if (one !== two) return one;
  const [first, second] = [a.metadata, b.metadata];
  if (first.creationTimestamp !== second.creationTimestamp) return first.creationTimestamp < second.creationTimestamp;
  const order = compareResourceVersions(orderOf(a), orderOf(b));
  if (order !== 0) return order < 0;
  return first.name === second.name ? first.namespace < second.namespace : first.name < second.name;
}

const isYielding = (operation: Operation, standing: QueueState) =>
  !isStartedOrStarting(operation, standing) && standing.isBlocked(operation);

const isStartedOrStarting = (operation: Operation, { started }: QueueState) =>
  hasStarted(operation) || started.has(operation.metadata.uid);
