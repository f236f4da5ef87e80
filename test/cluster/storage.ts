import { realClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { Client } from '../../src/kube/client.ts';
import { simulatedProvisioner, simulatedReclaimer } from '../../src/node/simulated/storage/provisioner.ts';
import { ensureStorageClasses } from '../../src/node/simulated/storage/storage-classes.ts';
import { runnable } from '../../src/runtime/controller.ts';
import { Informers } from '../../src/runtime/informers.ts';
import { manager } from '../../src/runtime/manager.ts';

/** The storage classes of `vimana up`, and who makes volumes for their claims until the returned function is called. */
export async function startStorage(client: Client): Promise<() => Promise<void>> {
  await ensureStorageClasses(client);
  const shared = { client, clock: realClock, random: systemRandom(), log: silentLogger };
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
