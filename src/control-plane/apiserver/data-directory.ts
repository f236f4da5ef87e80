import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstHost, tryParseCidr } from '#platform/base/cidr';
import type { Clock } from '#platform/base/clock';
import { formatIp } from '#platform/base/ip';
import type { Logger } from '#platform/base/logger';
import { openSigningKey, type SigningKey } from './access/jwt.ts';
import { openPki, type Pki } from './access/pki.ts';
import { openAdminToken } from './access/static-tokens.ts';
import type { Backend } from './backend.ts';
import { checkRestored } from './backup/restore-data.ts';
import { openEvents } from './event-store.ts';
import { keepPrivate } from './private-data.ts';
import { openLmdbStore } from './store/lmdb-store.ts';
import { openMemoryStore } from './store/memory-store.ts';
import { FIRST_REVISION } from './store/timeline.ts';
import { storePlaces } from './store-places.ts';
import { assertStorePresent, assertStoreReached, recordReached } from './store-witness.ts';

export interface DataDirectoryOptions {
  /** If absent, a temporary directory is used and deleted in the end. */
  readonly dataDir?: string;
  readonly store?: 'memory' | 'lmdb';
  readonly durability?: 'sync' | 'relaxed';
  /** Host in the server's certificate. */
  readonly host: string;
  readonly serviceClusterIpRange?: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Objects, certificates and keys of a control plane. */
export interface DataDirectory {
  readonly stores: Backend['stores'];
  readonly pki: Pki;
  /** Token of the administrator. */
  readonly adminToken: string;
  /** Key of service account tokens. */
  readonly signingKey: SigningKey;
  /** Records that the initial objects are stored, so that a later start notices if they are lost. */
  recordBootstrapped(): void;
  close(): Promise<void>;
}

export async function openDataDirectory(options: DataDirectoryOptions): Promise<DataDirectory> {
  const { dataDir, store = 'memory', durability = 'sync', host, clock } = options;
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), 'vimana-'));
  keepPrivate(directory);
  checkRestored(directory);
  const pki = openPki({ directory: join(directory, 'pki'), clock, serverNames: [host, ...serviceName(options)] });
  const stores =
    store === 'memory'
      ? { main: openMemoryStore({ clock }), events: openMemoryStore({ clock }) }
      : await openLmdbStores(directory, durability, options);
  return {
    stores,
    pki,
    adminToken: openAdminToken(join(directory, 'pki', 'admin.token')),
    signingKey: openSigningKey(join(directory, 'pki', 'service-account.key')),
    recordBootstrapped() {
      if (store === 'memory') return;
      // Without flushes, all that is certain after a power cut is that there were objects.
      recordReached(directory, durability === 'relaxed' ? FIRST_REVISION : stores.main.revision);
    },
    async close() {
      await Promise.all([stores.main.close(), stores.events.close()]);
      if (dataDir === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the address of the service `kubernetes`, by which pods verify the server. */
function serviceName({ serviceClusterIpRange }: DataDirectoryOptions): string[] {
  const cidr = serviceClusterIpRange === undefined ? undefined : tryParseCidr(serviceClusterIpRange);
  return cidr === undefined ? [] : [formatIp(firstHost(cidr))];
}

async function openLmdbStores(
  directory: string,
  durability: 'sync' | 'relaxed',
  { clock, log }: DataDirectoryOptions,
): Promise<Backend['stores']> {
  const onProblem = (problem: Error | undefined) => {
    if (problem === undefined) log.warn('the store accepts writes again');
    else log.error({ problem: problem.message }, 'the store does not accept writes; reads continue, and /readyz fails');
  };
  assertStorePresent(directory);
  const main = await openLmdbStore({ ...storePlaces(directory).objects, durability, clock, onProblem });
  try {
    assertStoreReached(directory, main.revision);
    return { main, events: await openEvents(directory, clock, log, onProblem) };
  } catch (error) {
    await main.close();
    throw error;
  }
}
