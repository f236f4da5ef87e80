import { afterAll, beforeAll, expect, it } from 'vitest';
import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL } from '#api/launcher';
import { PODS } from '#platform/kube/kinds/pod';
import { type SoakHarness, startSoakHarness } from '#testing/soak/soak-harness';

const namespace = 'default';
/** More writes than a migration takes, of all participants. */
const WRITES = Array.from({ length: 16 }, (_, at) => at + 1);
const MINUTE = 60_000;

let world: SoakHarness;
beforeAll(async () => {
  world = await startSoakHarness('migration kills');
  await world.clock.advance(5000);
  const annotations = { 'vimana.io/memory-utilization': '0.5' };
  const domain = { cpu: { sockets: 1 }, memory: { guest: '4Gi' }, devices: {} };
  const spec = { runStrategy: 'Always', template: { metadata: { annotations }, spec: { domain } } };
  await world.admin.create(VMS, { metadata: { name: 'm', namespace }, spec });
  await world.clock.advance(5000);
});
afterAll(() => world.stop());

const phaseOf = async (name: string) => (await world.admin.get(VMIMS, name, { namespace })).status?.phase;
const isOver = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed';

/** Kills everything but Kubernetes itself during one of the next writes, which gets no response. */
function killAt(write: number): { readonly happened: () => boolean } {
  let left = write;
  world.onWrite = () => {
    if (left === 0 || --left > 0) return;
    const mortals = world.processes.slice(1);
    for (const process of mortals) process.kill();
    world.clock.timer(2000, () => {
      for (const process of mortals) process.start();
    });
  };
  return { happened: () => left === 0 };
}

it.each(WRITES)(
  'a migration finishes, and leaves one launcher, when everything is killed at write %i',
  async (write) => {
    const { admin, clock, machines } = world;
    const before = await admin.get(VMIS, 'm', { namespace });
    expect(before.status?.phase).toBe('Running');
    const name = `mig-${write}`;
    const kill = killAt(write);
    await admin.create(VMIMS, { metadata: { name, namespace }, spec: { vmiName: 'm' } });
    for (const end = clock.now() + 2 * MINUTE; clock.now() < end; ) {
      await clock.advance(500);
      if (isOver(await phaseOf(name))) break;
    }
    expect(isOver(await phaseOf(name)), `${name} is ${await phaseOf(name)}`).toBe(true);
    world.onWrite = () => {};
    await clock.advance(MINUTE);
    const after = await admin.get(VMIS, 'm', { namespace });
    expect([after.metadata.uid, after.status?.phase]).toEqual([before.metadata.uid, 'Running']);
    const { items } = await admin.list(PODS, { namespace, labelSelector: `${CREATED_BY_LABEL}=${after.metadata.uid}` });
    const live = items.filter(({ status }) => !isOver(status?.phase));
    expect(live.map(({ spec }) => spec.nodeName)).toEqual([after.status?.nodeName]);
    expect(machines.doubled).toEqual([]);
    // Otherwise nothing would be tested: a migration takes at least this many writes.
    if (write <= 8) expect(kill.happened()).toBe(true);
  },
);
