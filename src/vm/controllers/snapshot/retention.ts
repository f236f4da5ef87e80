import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { isCaptured } from '#vm/storage/snapshot/lineage';

const DAY_MS = 24 * 3_600_000;

/** Expiry of a snapshot. `at` is absent if it does not expire at a time. */
export type Retention =
  | { readonly expired: true; readonly why: string; readonly remove: boolean }
  | { readonly expired: false; readonly at?: number };

/**
 * Returns the retention of a snapshot. A fixed time takes precedence over days since the capture; its own keepCount
 * expires it when that many newer unexpired snapshots of its VM can be restored.
 */
export function retentionOf(snapshot: Snapshot, others: readonly Snapshot[], now: number): Retention {
  const { retention } = snapshot.spec;
  if (retention === undefined) return { expired: false };
  const remove = retention.autoDelete;
  const at = expiryOf(snapshot);
  if (at !== undefined && at <= now) {
    const what =
      retention.expiresAt === undefined ? `spec.retention.keepDays ${retention.keepDays}` : 'spec.retention.expiresAt';
    return { expired: true, why: `its retention time by ${what} has passed`, remove };
  }
  const { keepCount } = retention;
  if (keepCount !== undefined && isCaptured(snapshot)) {
    const newer = others.filter(
      (each) => isCaptured(each) && each.status?.phase === 'Ready' && isNewer(each, snapshot),
    );
    if (newer.length >= keepCount) {
      return {
        expired: true,
        why: `spec.retention.keepCount is ${keepCount}, and there are ${newer.length} newer snapshots`,
        remove,
      };
    }
  }
  return { expired: false, ...(at === undefined ? {} : { at }) };
}

function expiryOf({ metadata, spec, status }: Snapshot): number | undefined {
  const { expiresAt, keepDays } = spec.retention ?? {};
  if (expiresAt !== undefined) return Date.parse(expiresAt);
  if (keepDays === undefined) return undefined;
  return Date.parse(status?.creationTime ?? metadata.creationTimestamp ?? '') + keepDays * DAY_MS;
}

function isNewer(a: Snapshot, b: Snapshot): boolean {
  const [first, second] = [a, b].map(({ status }) => Date.parse(status?.creationTime ?? ''));
  if (first !== second) return (first ?? 0) > (second ?? 0);
  return (a.status?.ordinal ?? 0) > (b.status?.ordinal ?? 0);
}
