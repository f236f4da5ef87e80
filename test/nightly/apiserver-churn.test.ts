import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { noopLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { KubeError } from '#platform/kube/kube-error';
import { startVmControlPlane } from '#programs/embedded/control-plane';

/** One hour at 200 writes a second, in rounds of ten minutes. */
const ROUNDS = 6;
const WRITES_A_ROUND = 120_000;
const AT_ONCE = 100;
const OBJECTS = 5_000;
const WATCHES = 50;
const PATH = '/api/v1/namespaces/default/configmaps';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('keeps memory, history and file flat over an hour of writes, lists and watches', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'apiserver-churn-'));
  const clock = new FakeClock();
  const random = seededRandom('churn');
  const plane = await startVmControlPlane({
    dataDir: folder,
    store: 'lmdb',
    durability: 'relaxed',
    clock,
    random,
    log: noopLogger,
  });
  try {
    const client = plane.client({ name: 'admin', groups: ['system:masters'] }, 'churn');
    const figures: Record<string, number>[] = [];
    const steady = await openWatches(plane, 1);
    for (let round = 0; round < ROUNDS; round++) {
      const watching = await openWatches(plane, WATCHES);
      for (let written = 0; written < WRITES_A_ROUND; written += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => write(client, random)));
        await clock.advance((AT_ONCE / 200) * 1000);
      }
      expect(await watching.close()).toBeGreaterThan(WRITES_A_ROUND / 2);
      figures.push(await measure(plane, folder));
    }
    expect(await steady.close()).toBeGreaterThan((ROUNDS * WRITES_A_ROUND) / 2);
    // By the end of the second round, history has reached its limit for the first time.
    const [, reference = {}, ...later] = figures;
    for (const figure of later) {
      for (const [name, value] of Object.entries(figure)) {
        expect(value, `${name} of ${JSON.stringify(figures)}`).toBeLessThan((reference[name] ?? 0) * 1.15);
      }
    }
  } finally {
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Creates, updates or deletes an object, depending on its state. */
async function write(client: Client, random: ReturnType<typeof seededRandom>): Promise<void> {
  const name = `c-${random.int(1, OBJECTS)}`;
  const data = { a: 'x'.repeat(random.int(200, 3_000)) };
  const options = { namespace: 'default' };
  try {
    const choice = random.next();
    if (choice < 0.1) await client.delete(CONFIG_MAPS, name, options);
    else if (choice < 0.12) await client.list(CONFIG_MAPS, { ...options, limit: 20 });
    else if (choice < 0.6) await client.patch(CONFIG_MAPS, name, { type: 'merge', body: { data } }, options);
    else await client.create(CONFIG_MAPS, { metadata: { name, namespace: 'default' }, data });
  } catch (error) {
    if (!(error instanceof KubeError && [404, 409].includes(error.code))) throw error;
  }
}

/** Opens watches over HTTPS with a long timeout. Closing them returns how many events the first one received. */
async function openWatches(
  { url, adminToken }: ControlPlane,
  count: number,
): Promise<{ close: () => Promise<number> }> {
  const session: ClientHttp2Session = connect(url, { rejectUnauthorized: false });
  const path = `${PATH}?watch=true&resourceVersion=0&timeoutSeconds=100000`;
  let seen = 0;
  const open = async (i: number): Promise<ClientHttp2Stream> => {
    const stream = session.request({ ':path': path, authorization: `Bearer ${adminToken}` });
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      if (i === 0) for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen++;
    });
    await once(stream, 'response');
    return stream;
  };
  await Promise.all(Array.from({ length: count }, (_, i) => open(i)));
  return {
    close: async () => {
      const closed = once(session, 'close');
      session.destroy();
      await closed;
      return seen;
    },
  };
}

async function measure({ backend }: ControlPlane, folder: string): Promise<Record<string, number>> {
  const { main } = backend.stores;
  return {
    memory: await memoryInUse(),
    history: main.revision - main.compacted,
    file: statSync(join(folder, 'objects', 'data.mdb')).size,
  };
}

/**
 * Returns the minimum of several measurements, because it takes more than one garbage collection to free closed
 * connections.
 */
async function memoryInUse(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 8; look++) {
    await realClock.sleep(300);
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
  }
  return least;
}
