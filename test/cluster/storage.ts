import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { runnable } from '#platform/runtime/controller';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { simulatedProvisioner, simulatedReclaimer } from '#vm/node/simulated/storage/provisioner';
import { ensureStorageClasses } from '#vm/node/simulated/storage/storage-classes';

/**
 * Creates the storage classes of `vimana up`, and provisions volumes for their claims until the returned function is
 * called.
 */
export async function startStorage(client: Client): Promise<() => Promise<void>> {
  await ensureStorageClasses(client);
  const shared = { client, clock: realClock, random: systemRandom(), log: noopLogger };
  const informers = new Informers(shared);
  const parts = { ...shared, informers };
  const runnables = [informers, runnable(simulatedProvisioner, parts), runnable(simulatedReclaimer(), parts)];
  const stop = new AbortController();
  const ended = manager('storage', runnables).run(stop.signal);
  ended.catch(() => {});
  return async () => {
    stop.abort();
    await ended;
  };
}
