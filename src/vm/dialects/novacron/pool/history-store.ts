import { historyName } from '#api/novacron/pool-words';
import { type Pool, VM_POOLS } from '#api/novacron/resources';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS, type ConfigMap } from '#platform/kube/kinds/core';
import { ignoreNotFound, isAlreadyExists, isConflict, isNotFound } from '#platform/kube/kube-error';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { formatHistory, type PoolHistory, parseHistory } from './pool-history.ts';
import { poolLabels } from './selector.ts';

const KEY = 'history.json';

/** ConfigMap of a pool's history as it was last seen. A foreign one is never written. */
export type StoredHistory =
  | { readonly state: 'absent' }
  | { readonly state: 'own'; readonly object: ConfigMap; readonly history: PoolHistory }
  | { readonly state: 'foreign' };

export async function loadHistory(client: Client, { metadata }: Pool): Promise<StoredHistory> {
  const { name, namespace, uid } = metadata;
  const object = await ignoreNotFound(client.get(CONFIG_MAPS, historyName(name), { namespace }));
  if (object === undefined) return { state: 'absent' };
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid !== uid) return { state: 'foreign' };
  return { state: 'own', object, history: parseHistory(object.data?.[KEY]) };
}

/** Writes the history. If somebody else has changed the ConfigMap, it is read again before the next write. */
export async function saveHistory(
  client: Client,
  pool: Pool,
  stored: StoredHistory,
  history: PoolHistory,
): Promise<StoredHistory> {
  if (stored.state === 'foreign') return stored;
  const data = { [KEY]: formatHistory(history) };
  try {
    const object =
      stored.state === 'own'
        ? await client.update(CONFIG_MAPS, { ...stored.object, data })
        : await client.create(CONFIG_MAPS, newConfigMap(pool, data));
    return { state: 'own', object, history };
  } catch (error) {
    if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
    return await loadHistory(client, pool);
  }
}

function newConfigMap(pool: Pool, data: Record<string, string>) {
  const { name, namespace } = pool.metadata;
  return {
    metadata: {
      name: historyName(name),
      namespace,
      labels: poolLabels(pool),
      ownerReferences: [controllerRef(VM_POOLS, pool)],
    },
    data,
  };
}
