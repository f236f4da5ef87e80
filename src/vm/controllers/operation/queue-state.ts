import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import type { Context } from '#platform/runtime/controller';
import { hasYielded, snapshotOf } from './operation.ts';
import type { QueueState } from './operation-queue.ts';

/** Returns the state that the order of operations depends on, as caches show it. */
export const queueStateFrom = (started: ReadonlySet<string>, { cache }: Pick<Context, 'cache'>): QueueState => ({
  started,
  isBlocked(operation) {
    const key = snapshotOf(operation);
    return hasYielded(operation) || (key !== undefined && cache(VM_SNAPSHOTS).get(key) === undefined);
  },
});
