import { afterEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { RUN_STRATEGIES } from '#api/kubevirt/run-strategy';
import { type Random, seededRandom } from '#platform/base/random';
import { type Faults, faultyClient, NO_FAULTS } from '#testing/faulty-client';
import { runs } from '#testing/runs';
import { startVmHarness, type VmHarness } from '#testing/vm-harness';

const namespace = 'default';
const BAD: Faults = { refuse: 0.1, lose: 0.1, slow: 0.2, slowestMs: 300, drop: 0.05, expire: 0.03 };
const SEEDS = runs(8);

let harness: VmHarness;
afterEach(() => harness.stop());

/** Advances every instance by one step, successfully or not, as its controller would. */
async function instancesMove(random: Random, badly: number): Promise<void> {
  for (const { metadata, status } of (await harness.admin.list(VMIS, { namespace })).items) {
    const { name, deletionTimestamp } = metadata;
    const final = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    if (deletionTimestamp !== undefined && final) await harness.finish(name);
    else if (deletionTimestamp !== undefined) await harness.phase(name, 'Succeeded', { reason: 'Stopped' });
    else if (!final && random.next() < badly) {
      const [phase, reason] = random.pick([
        ['Failed', 'GuestCrashed'],
        ['Failed', 'NodeLost'],
        ['Succeeded', 'GuestShutdown'],
      ] as const);
      await harness.phase(name, phase, { reason });
    } else if (status?.phase === 'Pending') await harness.phase(name, 'Running');
  }
}

describe('with faults on the way to the API server, and controllers that crash', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))('VMs reach their desired state (seed %i)', async (seed) => {
    harness = await startVmHarness();
    const random = seededRandom(`faults ${seed}`);
    const faults = { ...BAD };
    const control = () =>
      harness.control({}, (client) => faultyClient(client, faults, random.fork('faults'), harness.clock));
    const names = Array.from({ length: 6 }, (_, i) => `vm-${i}`);
    for (const name of names) await harness.make(name, { runStrategy: random.pick(RUN_STRATEGIES) });
    let stop = control();
    for (let round = 0; round < 40; round++) {
      await harness.clock.advance(random.int(50, 20_000));
      await instancesMove(random, 0.2);
      const name = random.pick(names);
      const chance = random.next();
      if (chance < 0.2) await harness.edit(name, { runStrategy: random.pick(RUN_STRATEGIES) });
      else if (chance < 0.3) await harness.request([{ action: 'Start' }], name);
      else if (chance < 0.4) {
        const uid = (await harness.instance(name))?.metadata.uid;
        if (uid !== undefined) await harness.request([{ action: 'Stop', uid }, { action: 'Start' }], name);
      } else if (chance < 0.5) {
        // A slow request needs time to finish.
        await Promise.all([stop(), harness.clock.advance(1000)]);
        stop = control();
      }
    }
    Object.assign(faults, NO_FAULTS);
    for (let round = 0; round < 12; round++) {
      await harness.clock.advance(400_000);
      await instancesMove(random, 0);
    }
    await harness.clock.advance(1000);
    const addresses = new Set<string>();
    for (const name of names) {
      const { spec, status } = await harness.vm(name);
      const phase = (await harness.instance(name))?.status?.phase;
      if (spec.runStrategy === 'Always') expect(phase).toBe('Running');
      if (spec.runStrategy === 'Halted') expect(phase).toBeUndefined();
      if (spec.runStrategy === 'RerunOnFailure') expect([undefined, 'Running']).toContain(phase);
      if (spec.runStrategy === 'Once') expect(phase).toBeDefined();
      // A VM whose instance failed to start, and is not retried, still reports it.
      const reported = phase === 'Running' ? ['Running'] : ['Stopped', 'CrashLoopBackOff'];
      expect(reported).toContain(status?.printableStatus);
      expect(status?.created).toBe(phase !== undefined);
      const { ipAddress } = status?.interfaces?.[0] ?? {};
      if (ipAddress !== undefined) expect(addresses).not.toContain(ipAddress);
      if (ipAddress !== undefined) addresses.add(ipAddress);
    }
    Object.assign(faults, BAD);
    for (const name of names) await harness.admin.delete(VMS, name, { namespace });
    for (let round = 0; round < 10; round++) {
      await harness.clock.advance(60_000);
      await instancesMove(random, 0);
    }
    expect((await harness.admin.list(VMS, { namespace })).items).toEqual([]);
    expect((await harness.admin.list(VMIS, { namespace })).items).toEqual([]);
    Object.assign(faults, NO_FAULTS);
    await harness.clock.advance(1000);
  });
});
