import { describe, expect, it } from 'vitest';
import { withFile } from '#api/disk/contents';
import { FakeClock } from '#platform/base/fake-clock';
import type { GuestKind } from '../../machine-driver/drivers-under-test.fixture.ts';
import { machineDriverContract } from '../../machine-driver.contract.ts';
import type { MachineDriver } from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import type { SimulatedDriver } from './simulated-driver.ts';
import { Simulation } from './simulation.ts';

const GUESTS: Readonly<Record<GuestKind, Readonly<Record<string, string>>>> = {
  plain: {},
  deaf: { 'vimana.io/shutdown-duration': 'never' },
  leaving: { 'vimana.io/complete-after': '5s' },
  busy: { 'vimana.io/dirty-rate': '2G' },
  crashing: { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '3s' },
};

const GIB = 2 ** 30;

function specOf(id: string, annotations: Readonly<Record<string, string>> = {}): MachineSpec {
  return {
    id,
    name: id,
    namespace: 'default',
    pod: { name: `launcher-${id}`, uid: `pod-${id}` },
    cpu: { sockets: 1, cores: 1, threads: 1 },
    maxSockets: 1,
    memoryBytes: GIB,
    maxMemoryBytes: GIB,
    disks: [{ name: 'root', target: 'disk', bus: 'virtio', readonly: false, volume: { name: 'root' } }],
    nics: [],
    firmware: { uuid: id, loader: 'bios', secureBoot: false, machineType: 'q35' },
    startPaused: false,
    annotations,
  };
}

const volume = { name: 'root', persistentVolumeClaim: { claimName: 'c' } };
const claimed = (id: string) => ({ ...specOf(id), disks: specOf(id).disks.map((disk) => ({ ...disk, volume })) });

async function write(driver: MachineDriver, id: string, text: string): Promise<void> {
  const file = { text, digest: text, bytes: text.length };
  await (driver as SimulatedDriver).write(id, 'root', (now) => withFile(now, '/f', file));
}

async function textOn(driver: MachineDriver, id: string): Promise<string> {
  return (await (driver as SimulatedDriver).read(id, 'root')).files['/f']?.text ?? '';
}

machineDriverContract('the simulated driver', () => {
  const clock = new FakeClock();
  const simulation = new Simulation({ clock });
  return {
    here: simulation.driver('a'),
    there: simulation.driver('b'),
    spec: (id, guest = 'plain') => specOf(id, GUESTS[guest]),
    async until(check) {
      for (let step = 0; step < 100; step++) {
        if (await check()) return;
        await clock.advance(100);
      }
      throw new Error('it did not come true');
    },
    disk: { read: (driver, id) => textOn(driver, id), write },
    claimed: { claim: 'c', spec: claimed },
  };
});

describe('a simulated machine', () => {
  const start = async (annotations: Readonly<Record<string, string>> = {}) => {
    const clock = new FakeClock({ start: 1_000_000 });
    const simulation = new Simulation({ clock });
    const driver = simulation.driver('a');
    await driver.start(specOf('m', annotations));
    return { clock, driver, simulation };
  };

  it('sets no timer while nothing is due', async () => {
    const { clock, driver } = await start();
    expect(clock.pending).toBe(0);
    await driver.pause('m');
    await driver.resume('m');
    await driver.reset('m');
    expect(clock.pending).toBe(0);
  });

  it('has a guest that responds once it has booted, and again after a reset', async () => {
    const { clock, driver } = await start({ 'vimana.io/boot-time': '20s' });
    await clock.advance(19_999);
    expect(await driver.inspect('m')).toMatchObject({ booted: false });
    expect((await driver.inspect('m'))?.guest).toBeUndefined();
    await clock.advance(1);
    expect((await driver.inspect('m'))?.guest?.os.id).toBe('simulated');
    expect(clock.pending).toBe(0);
    await driver.reset('m');
    expect(await driver.inspect('m')).toMatchObject({ booted: false });
    await clock.advance(20_000);
    expect(await driver.inspect('m')).toMatchObject({ booted: true });
  });

  it('does not age while it is paused', async () => {
    const { clock, driver } = await start({ 'vimana.io/complete-after': '60s' });
    await clock.advance(30_000);
    await driver.pause('m');
    await clock.advance(3_600_000);
    await driver.resume('m');
    await clock.advance(29_999);
    expect(await driver.inspect('m')).toMatchObject({ state: 'running' });
    await clock.advance(1);
    expect((await driver.inspect('m'))?.ended?.reason).toBe('GuestShutdown');
  });

  it('shuts down as fast as its guest, and within its grace period', async () => {
    const slow = { 'vimana.io/shutdown-duration': '12s' };
    const patient = await start(slow);
    await patient.driver.stop('m', 30_000);
    await patient.clock.advance(11_999);
    expect(await patient.driver.inspect('m')).toMatchObject({ state: 'stopping' });
    await patient.clock.advance(1);
    expect((await patient.driver.inspect('m'))?.ended).toMatchObject({ reason: 'Stopped', at: 1_012_000 });
    expect(patient.clock.pending).toBe(0);
    const hasty = await start(slow);
    await hasty.driver.stop('m', 5_000);
    await hasty.clock.advance(5_000);
    expect((await hasty.driver.inspect('m'))?.ended).toMatchObject({ reason: 'Killed', at: 1_005_000 });
  });

  it('runs out of memory on request', async () => {
    const { clock, driver } = await start({ 'vimana.io/fail': 'oom', 'vimana.io/fail-after': '5s' });
    await clock.advance(5_000);
    expect((await driver.inspect('m'))?.ended?.reason).toBe('OutOfMemory');
  });

  it('is adopted in its last known state, with its current age', async () => {
    const clock = new FakeClock({ start: 1_000_000 });
    const driver = new Simulation({ clock }).driver('a');
    const spec = specOf('m', { 'vimana.io/complete-after': '60s', 'vimana.io/boot-time': '10s' });
    const adopted = await driver.adopt(spec, { startedAt: 970_000, paused: false });
    expect(adopted).toMatchObject({ state: 'running', startedAt: 970_000, booted: true });
    await clock.advance(30_000);
    expect((await driver.inspect('m'))?.ended?.reason).toBe('GuestShutdown');
    expect(await driver.adopt(specOf('p'), { startedAt: 0, paused: true })).toMatchObject({ state: 'paused' });
  });

  it('restores its guest with its memory', async () => {
    const { clock, driver } = await start({ 'vimana.io/boot-time': '10s' });
    await clock.advance(15_000);
    const warm = await driver.snapshot('m', { memory: true, quiesce: true });
    const cold = await driver.snapshot('m', { memory: false, quiesce: true });
    await driver.restore('m', cold, { uid: '1', on: [] });
    expect(await driver.inspect('m')).toMatchObject({ booted: false });
    await driver.restore('m', warm, { uid: '2', on: [] });
    expect(await driver.inspect('m')).toMatchObject({ booted: true });
  });

  it('continues once from restored memory at its next start', async () => {
    const { clock, driver } = await start();
    const slow = (id: string) => ({ ...claimed(id), annotations: { 'vimana.io/boot-time': '10s' } });
    await driver.start(slow('first'));
    await clock.advance(15_000);
    const kept = await driver.snapshot('first', { memory: true, quiesce: true });
    await driver.remove('first');
    const off = { namespace: 'default', disks: [{ name: 'root', claim: 'c' }] };
    await driver.restore(off, kept, { uid: '1', on: [] });
    expect(await driver.start(slow('second'))).toMatchObject({ booted: true });
    expect(await driver.start(slow('third'))).toMatchObject({ booted: false });
    // Memory of another size is not usable.
    await driver.restore(off, kept, { uid: '2', on: [] });
    expect(await driver.start({ ...slow('fourth'), memoryBytes: GIB / 2 })).toMatchObject({ booted: false });
    // Neither is memory of other disks.
    await driver.restore(off, kept, { uid: '3', on: [] });
    const more = { name: 'more', persistentVolumeClaim: { claimName: 'd' } };
    const disks = [
      ...slow('fifth').disks,
      ...specOf('m').disks.map((disk) => ({ ...disk, name: 'more', volume: more })),
    ];
    expect(await driver.start({ ...slow('fifth'), disks })).toMatchObject({ booted: false });
  });

  it('does not resume from memory of a disk that was used elsewhere since', async () => {
    const { clock, driver } = await start();
    const on = (name: string, claimName: string) =>
      claimed('m').disks.map((disk) => ({ ...disk, name, volume: { name, persistentVolumeClaim: { claimName } } }));
    const [root, data] = [on('root', 'c'), on('data', 'd')];
    const slow = (id: string, disks: MachineSpec['disks']) => ({
      ...specOf(id, { 'vimana.io/boot-time': '10s' }),
      disks,
    });
    await driver.start(slow('first', [...data, ...root]));
    await clock.advance(15_000);
    const kept = await driver.snapshot('first', { memory: true, quiesce: true });
    await driver.remove('first');
    const both = [
      { name: 'data', claim: 'd' },
      { name: 'root', claim: 'c' },
    ];
    const restore = (uid: string) => driver.restore({ namespace: 'default', disks: both }, kept, { uid, on: [] });
    await restore('1');
    expect(await driver.start(slow('same', [...data, ...root]))).toMatchObject({ booted: true });
    await driver.remove('same');
    await restore('2');
    expect(await driver.start(slow('less', root))).toMatchObject({ booted: false });
    await driver.remove('less');
    expect(await driver.start(slow('back', [...data, ...root]))).toMatchObject({ booted: false });
  });

  it('has consistent snapshots while its guest writes', async () => {
    const { driver } = await start();
    const writing = write(driver, 'm', 'first');
    const keeping = driver.snapshot('m', { memory: false, quiesce: true });
    const later = write(driver, 'm', 'second');
    await Promise.all([writing, later]);
    expect((await keeping).disks[0]?.contents).toContain('first');
    expect(await textOn(driver, 'm')).toBe('second');
  });

  it('retains only the contents of claims for the next machine', async () => {
    const { driver } = await start();
    await driver.start(claimed('first'));
    await write(driver, 'first', 'kept');
    await write(driver, 'm', 'lost');
    await driver.remove('first');
    await driver.remove('m');
    await driver.start(claimed('second'));
    await driver.start(specOf('m'));
    expect(await textOn(driver, 'second')).toBe('kept');
    expect(await textOn(driver, 'm')).toBe('');
  });

  it('has neither console nor display, and reports that', async () => {
    const { driver } = await start();
    expect(driver.capabilities()).toMatchObject({ console: false, vnc: false });
    await expect(driver.open('m', 'vnc')).rejects.toThrow(new NotSupportedError('simulated', 'vnc'));
  });
});
