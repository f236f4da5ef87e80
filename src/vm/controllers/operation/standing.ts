import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import type { Context } from '#platform/runtime/controller';
import { hasStoodAside, snapshotOf } from './operation.ts';
import type { Standing } from './turn.ts';

/** What the order of operations depends on, as caches show it. */
export const standingIn = (begun: ReadonlySet<string>, { cache }: Pick<Context, 'cache'>): Standing => ({
  begun,
  lacks(operation) {
    const key = snapshotOf(operation);
    return hasStoodAside(operation) || (key !== undefined && cache(VM_SNAPSHOTS).get(key) === undefined);
  },
});
