import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import type { HttpClient } from '#platform/kube/http/http-client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { createMachines, oddInstances, untilRunning } from './fleet-of-machines.ts';
import { type Installation, installChart, type Replica } from './installation.ts';
import { callsIn } from './rights.ts';
import { type ServiceProxy, startServiceProxy } from './service-proxy.ts';

/** Smaller numbers for manual runs. */
const MACHINES = Number(process.env['VIMANA_MACHINES'] ?? 1000);
const NODES = 100;
const MAX_MEMORY = 512 * 1024 * 1024;
const namespace = 'default';

describe.skipIf(missingAssets().length > 0)('three operators on a real cluster', () => {
  let cluster: RealCluster;
  let client: HttpClient;
  let installed: Installation;
  /** Connection of the operators to the API server. */
  let way: ServiceProxy;
  /** VMs that were created in addition to the first ones. */
  let more = 0;

  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: NODES, audit: true });
    client = await cluster.client();
    const port = Number(new URL(cluster.url).port);
    way = await startServiceProxy(() => [port]);
    installed = await installChart(cluster, { server: `https://127.0.0.1:${way.port}` });
    await (await installed.startReplica()).untilReady();
    // Its CA bundle is registered with the API server when the first VM is admitted.
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
    await way?.close();
    await cluster?.stop();
  });

  /** Creates a VM, and returns how many seconds it took until an operator acted on it, and until it was running. */
  async function started(name: string, withinMs: number): Promise<{ readonly acted: number; readonly ran: number }> {
    const since = realClock.monotonic();
    const passed = () => (realClock.monotonic() - since) / 1000;
    await createWhenServed(name);
    more++;
    let acted: number | undefined;
    for (;;) {
      const instance = acted === undefined ? await ignoreNotFound(client.get(VMIS, name, { namespace })) : undefined;
      if (instance !== undefined) acted = passed();
      const { status } = await client.get(VMS, name, { namespace });
      if (acted !== undefined && status?.printableStatus === 'Running') return { acted, ran: passed() };
      if (passed() * 1000 > withinMs) throw new Error(`${name} is ${status?.printableStatus} after ${passed()} s`);
      await realClock.sleep(100);
    }
  }

  /** Checks that all VMs run exactly once, and one operator is the leader. */
  async function allIsWell(withinMs: number): Promise<void> {
    await untilRunning(client, namespace, MACHINES + more, withinMs);
    expect(await oddInstances(client, namespace)).toEqual([]);
    expect(await leaders()).toHaveLength(1);
  }

  async function leaders(): Promise<Replica[]> {
    const leads = await Promise.all(installed.replicas.map((replica) => replica.measured('vimana_leader')));
    return installed.replicas.filter((_, at) => leads[at] === 1);
  }
  const memory = async () =>
    Math.max(...(await Promise.all(installed.replicas.map((each) => each.measured('process_resident_memory_bytes')))));

  it(`run ${MACHINES} VMs on ${NODES} nodes, the leader within 512 MiB`, async () => {
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
    expect(most).toBeLessThan(MAX_MEMORY);
    expect(await oddInstances(client, namespace)).toEqual([]);
  });

  it('are all ready, and one of them leads', async () => {
    for (const _ of [2, 3]) await (await installed.startReplica()).untilReady();
    expect(await leaders()).toHaveLength(1);
    expect(await memory()).toBeLessThan(MAX_MEMORY);
  });

  it('continue within 20 s when the leader is killed', async () => {
    const [leader] = await leaders();
    await leader?.kill();
    const { acted, ran } = await started('after-the-leader', 60_000);
    process.stdout.write(`a new leader acted after ${acted.toFixed(1)} s; a machine ran after ${ran.toFixed(1)} s\n`);
    expect(acted).toBeLessThan(20);
    await allIsWell(60_000);
  });

  it('continue at once in a rolling restart, in which each is stopped', async () => {
    for (const turn of [1, 2, 3]) {
      const [old] = installed.replicas;
      const another = await installed.startReplica();
      await another.untilReady();
      expect(await old?.stop()).toBeLessThan(9000);
      expect((await started(`after-restart-${turn}`, 60_000)).acted).toBeLessThan(10);
    }
    await allIsWell(60_000);
  });

  it('are not affected when every connection to the API server is closed', async () => {
    const before = [...installed.replicas];
    const [leader] = await leaders();
    for (const turn of [1, 2, 3]) {
      // Each of them watches several kinds.
      expect(way.cut()).toBeGreaterThan(before.length);
      expect((await started(`after-cut-${turn}`, 60_000)).acted).toBeLessThan(10);
    }
    expect(installed.replicas).toEqual(before);
    expect(await leaders()).toEqual([leader]);
    await allIsWell(60_000);
  });

  it('are the same processes after a minute without the API server, and every VM runs', async () => {
    const before = [...installed.replicas];
    await cluster.restartApiServer({ downMs: 60_000 });
    const { acted, ran } = await started('after-the-outage', 4 * 60_000);
    process.stdout.write(`after the outage: acted after ${acted.toFixed(1)} s, ran after ${ran.toFixed(1)} s\n`);
    await allIsWell(4 * 60_000);
    expect(installed.replicas).toEqual(before);
    for (const replica of before) expect(await replica.ready()).toBe(true);
  });

  it('recover when etcd is restarted', async () => {
    await cluster.restartEtcd({ how: 'at once' });
    await started('after-etcd', 4 * 60_000);
    await allIsWell(4 * 60_000);
  });

  it('have done nothing twice in all this time: one instance for each VM, and one pod for that', async () => {
    const calls = callsIn(cluster.auditLog).filter(({ user }) => user === installed.user);
    const done = (verb: string, resource: string) =>
      calls.filter((call) => call.verb === verb && call.resource === resource && call.code < 300).length;
    expect([
      done('create', 'virtualmachineinstances'),
      done('create', 'pods'),
      done('delete', 'virtualmachineinstances'),
      done('delete', 'pods'),
    ]).toEqual([MACHINES + more, MACHINES + more, 0, 0]);
  });

  /** The API server itself takes a moment until it reaches webhooks again. */
  async function createWhenServed(name: string): Promise<void> {
    for (let turn = 0; ; turn++) {
      try {
        await createMachines(client, namespace, [name]);
        return;
      } catch (error) {
        // The response was lost, but the VM was created.
        if (turn > 0 && (error as { code?: unknown }).code === 409) return;
        if (turn > 120) throw error;
        await realClock.sleep(500);
      }
    }
  }
});
