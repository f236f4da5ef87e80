import { historyName } from '#api/novacron/pool-words';
import type { Pool } from '#api/novacron/resources';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import type { ControllerRevision } from '#platform/kube/kinds/workloads';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { type PoolHistory, parseHistory } from '#vm/dialects/novacron/pool/pool-history';
import { formatTable } from '../format-table.ts';

/** Reads what the autoscaler of a pool remembers. */
export async function readHistory(client: Client, { metadata }: Pool): Promise<PoolHistory> {
  const { name, namespace } = metadata;
  const found = await ignoreNotFound(client.get(CONFIG_MAPS, historyName(name), { namespace }));
  return parseHistory(found?.data?.['history.json']);
}

export function formatPoolHistory(revisions: readonly ControllerRevision[], { scale }: PoolHistory): string {
  const templates = revisions.map(({ revision, metadata }) => [
    `${revision}`,
    metadata.name ?? '',
    metadata.creationTimestamp ?? '',
  ]);
  const changes = scale.changes.map(({ by, at }) => [timestamp(at), by > 0 ? `+${by}` : `${by}`]);
  const text = formatTable(['REVISION', 'NAME', 'CREATED'], templates);
  return changes.length === 0 ? text : `${text}\n${formatTable(['SCALED', 'BY'], changes)}`;
}
