import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../src/base/clock.ts';
import type { HttpClient } from '../../src/kube/http/http-client.ts';
import { VMS } from '../../src/kube/kinds/machines.ts';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { createMachines, oddInstances, untilRunning } from './fleet-of-machines.ts';
import { type Installation, installChart, type Replica } from './installation.ts';

/** Fewer, for a look by hand. */
const MACHINES = Number(process.env['VIMANA_MACHINES'] ?? 1000);
const NODES = 100;
const MOST_MEMORY = 512 * 1024 * 1024;
const namespace = 'default';

describe.skipIf(missingAssets().length > 0)('three operators on a real cluster', () => {
  let cluster: RealCluster;
  let client: HttpClient;
  let installed: Installation;

  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: NODES });
    client = await cluster.client();
    installed = await installChart(cluster);
    await (await installed.startReplica()).untilReady();
    // It has told the API server whom to trust when the first machine is let in.
    for (let turn = 0; turn < 100; turn++) {
      const done = await createMachines(client, namespace, ['first']).then(
        () => true,
        () => false,
      );
      if (done) break;
      await realClock.sleep(200);
    }
  });
  afterAll(async () => {
    await installed?.stop();
    await cluster?.stop();
  });

  async function leaders(): Promise<Replica[]> {
    const leads = await Promise.all(installed.replicas.map((replica) => replica.measured('vimana_leader')));
    return installed.replicas.filter((_, at) => leads[at] === 1);
  }
  const memory = async () =>
    Math.max(...(await Promise.all(installed.replicas.map((each) => each.measured('process_resident_memory_bytes')))));

  it(`run ${MACHINES} machines on ${NODES} nodes, the leading one within 512 MiB`, async () => {
    const measuring = new AbortController();
    let most = 0;
    const measured = (async () => {
      while (!measuring.signal.aborted) {
        most = Math.max(most, await memory());
        await realClock.sleep(500, measuring.signal).catch(() => {});
      }
    })();
    const since = realClock.monotonic();
    await createMachines(
      client,
      namespace,
      Array.from({ length: MACHINES - 1 }, (_, at) => `machine-${at}`),
    );
    await untilRunning(client, namespace, MACHINES, 8 * 60_000);
    const seconds = (realClock.monotonic() - since) / 1000;
    measuring.abort();
    await measured;
    process.stdout.write(
      `${MACHINES} machines in ${seconds.toFixed(0)} s, ${(most / 2 ** 20).toFixed(0)} MiB at most\n`,
    );
    expect(most).toBeLessThan(MOST_MEMORY);
    expect(await oddInstances(client, namespace)).toEqual([]);
  });

  it('are all ready, but one of them leads', async () => {
    for (const _ of [2, 3]) await (await installed.startReplica()).untilReady();
    expect(await leaders()).toHaveLength(1);
    expect(await memory()).toBeLessThan(MOST_MEMORY);
  });

  it('go on within 20 s when the leading one is killed, and nothing is done twice', async () => {
    const [leader] = await leaders();
    await leader?.kill();
    const since = realClock.monotonic();
    await createMachines(client, namespace, ['after-the-leader']);
    await untilRunning(client, namespace, MACHINES + 1, 60_000);
    const seconds = (realClock.monotonic() - since) / 1000;
    process.stdout.write(`a new leader had started a machine after ${seconds.toFixed(1)} s\n`);
    expect(seconds).toBeLessThan(20);
    expect(await leaders()).toHaveLength(1);
    expect(await oddInstances(client, namespace)).toEqual([]);
  });

  it('go on at once when the leading one is told to stop, as in a rolling restart', async () => {
    const another = await installed.startReplica();
    await another.untilReady();
    const [leader] = await leaders();
    expect(await leader?.stop()).toBeLessThan(9000);
    const since = realClock.monotonic();
    await createMachines(client, namespace, ['after-the-restart']);
    await untilRunning(client, namespace, MACHINES + 2, 60_000);
    expect((realClock.monotonic() - since) / 1000).toBeLessThan(10);
    expect(await oddInstances(client, namespace)).toEqual([]);
  });

  it('are the same processes after a minute without the API server, and every machine runs', async () => {
    const before = [...installed.replicas];
    await cluster.restartApiServer({ downMs: 60_000 });
    await client.list(VMS, { namespace, limit: 1 });
    const since = realClock.monotonic();
    await createMachinesWhenServed('after-the-outage');
    await untilRunning(client, namespace, MACHINES + 3, 8 * 60_000);
    process.stdout.write(`all ran again ${((realClock.monotonic() - since) / 1000).toFixed(0)} s after the outage\n`);
    expect(installed.replicas).toEqual(before);
    for (const replica of before) expect(await replica.ready()).toBe(true);
    expect(await leaders()).toHaveLength(1);
    expect(await oddInstances(client, namespace)).toEqual([]);
  });

  it('recover when etcd is restarted', async () => {
    await cluster.restartEtcd({ how: 'at once' });
    await createMachinesWhenServed('after-etcd');
    await untilRunning(client, namespace, MACHINES + 4, 4 * 60_000);
    expect(await leaders()).toHaveLength(1);
  });

  /** The API server itself takes a moment until it reaches webhooks again. */
  async function createMachinesWhenServed(name: string): Promise<void> {
    for (let turn = 0; ; turn++) {
      try {
        await createMachines(client, namespace, [name]);
        return;
      } catch (error) {
        if (turn > 120 || (error as { code?: unknown }).code === 409) throw error;
        await realClock.sleep(500);
      }
    }
  }
});
