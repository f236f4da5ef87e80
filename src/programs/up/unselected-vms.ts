import { resourceTypeFor } from '#api/kubevirt/resources';
import { ConfigError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { REGISTRATIONS } from '#vm/dialects/registrations';
import type { Dialect } from '#vm/engine/dialect';

/** VMs from an earlier start, of a group that is not chosen now. */
export interface UnselectedVms {
  readonly dialect: Dialect;
  readonly count: number;
}

/**
 * Counts the VMs of groups that are not chosen. They are managed all the same: otherwise they would keep running, show
 * a stale status, and could not be deleted, because their instances must be deleted first.
 */
export async function unselectedVms(client: Client, chosen: readonly Dialect[]): Promise<UnselectedVms[]> {
  const all = Object.values(REGISTRATIONS).map(({ dialect }) => dialect);
  const others = all.filter((dialect) => !chosen.includes(dialect));
  const counted = others.map(async (dialect) => ({ dialect, count: await countOf(client, dialect) }));
  return (await Promise.all(counted)).filter(({ count }) => count > 0);
}

/** Throws if there are VMs of any group. */
export async function assertNoVms(client: Client, dataDir: string): Promise<void> {
  const counts = (await unselectedVms(client, [])).map(({ dialect, count }) => `${count} of ${dialect.kind.group}`);
  if (counts.length === 0) return;
  throw new ConfigError(`--empty was given, but the data directory ${dataDir} has VMs: ${counts.join(', ')}`, {
    hint: `Omit --empty to continue with them, choose another directory with --data-dir, or delete this one: vimana delete --data-dir ${dataDir}`,
  });
}

export function formatUnselected({ dialect, count }: UnselectedVms): string {
  return `also managing ${count} existing VM${count === 1 ? '' : 's'} of ${dialect.kind.group}`;
}

async function countOf(client: Client, { kind }: Dialect): Promise<number> {
  try {
    return (await client.list(resourceTypeFor(kind))).items.length;
  } catch (error) {
    // The kind was never installed.
    if (error instanceof KubeError && error.code === 404) return 0;
    throw error;
  }
}
