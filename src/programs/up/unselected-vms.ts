import { resourceTypeFor } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { DIALECTS } from '#vm/dialects/built';
import type { Dialect } from '#vm/engine/dialect';

/** Machines that an earlier start has left, of a group that is not chosen now. */
export interface UnselectedVms {
  readonly dialect: Dialect;
  readonly count: number;
}

/**
 * The machines of groups that are not chosen. They are looked after all the same: without that they would run on, show
 * a status of the past, and could not be deleted, because what they run as has to go first.
 */
export async function unselectedVms(client: Client, chosen: readonly Dialect[]): Promise<UnselectedVms[]> {
  const others = [...DIALECTS.values()].filter((dialect) => !chosen.includes(dialect));
  const counted = others.map(async (dialect) => ({ dialect, count: await countOf(client, dialect) }));
  return (await Promise.all(counted)).filter(({ count }) => count > 0);
}

export function formatUnselected({ dialect, count }: UnselectedVms): string {
  return `looks after ${count} machine${count === 1 ? '' : 's'} of ${dialect.kind.group} too, which ${count === 1 ? 'is' : 'are'} here`;
}

async function countOf(client: Client, { kind }: Dialect): Promise<number> {
  try {
    return (await client.list(resourceTypeFor(kind))).items.length;
  } catch (error) {
    // Nobody has ever installed the kind.
    if (error instanceof KubeError && error.code === 404) return 0;
    throw error;
  }
}
