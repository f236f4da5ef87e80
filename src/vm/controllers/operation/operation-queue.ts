import { compareResourceVersions } from '#platform/runtime/resource-version';
import { hasStarted, isFinished, type Operation, orderOf } from './operation.ts';

/**
 * State that the order of the operations of a VM depends on: one at a time, started ones first, then by creation.
 * Clones do not change the VM and run concurrently; an operation yields while its snapshot is missing, or once it has
 * waited too long for anything else.
 */
export interface QueueState {
  /** Uids of operations whose start the cache may not show yet. */
  readonly started: ReadonlySet<string>;
  /** Reports whether something that the operation needs to start is missing. */
  readonly isBlocked: (operation: Operation) => boolean;
}

/** Returns the last of the operations that have to finish before this one. */
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

/** Returns the operations whose turn it is, and those that yield, which may report that. */
export function runnableOperations(operations: Iterable<Operation>, standing: QueueState): Operation[] {
  const clones: Operation[] = [];
  const aside: Operation[] = [];
  /** First operation that may change the VM. */
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

/** Returns the operation right behind another, which reports that it waits for it. */
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
