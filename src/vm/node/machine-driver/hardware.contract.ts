import { expect, test } from 'vitest';
import { InvalidStateError } from '../machine-driver.ts';
import { type CreateDrivers, whereAble } from './drivers-under-test.fixture.ts';

/** Tests that running machines can be changed and inspected. */
export function hardwareContract(create: CreateDrivers): void {
  test('a machine grows up to its maxima and no further', async () => {
    const { here, spec } = await create();
    const { memoryBytes, cpu } = spec('m');
    await here.start({ ...spec('m'), maxSockets: cpu.sockets + 1, maxMemoryBytes: memoryBytes * 2 });
    const grow = () => here.resize('m', { sockets: cpu.sockets + 1, memoryBytes: memoryBytes * 2 });
    await whereAble(here, 'resize', grow, async () => {
      await grow();
      expect((await here.inspect('m'))?.spec).toMatchObject({
        cpu: { sockets: cpu.sockets + 1 },
        memoryBytes: memoryBytes * 2,
      });
      await expect(here.resize('m', { sockets: cpu.sockets + 2 })).rejects.toBeInstanceOf(InvalidStateError);
      await expect(here.resize('m', { memoryBytes: memoryBytes * 2 + 1 })).rejects.toBeInstanceOf(InvalidStateError);
    });
    await here.remove('m');
  });

  test('network interfaces are plugged and unplugged', async () => {
    const { here, spec } = await create();
    await here.start(spec('m'));
    const nic = { name: 'second', mac: '02:00:00:00:00:02', model: 'virtio' };
    await whereAble(
      here,
      'hotplugNics',
      () => here.attach('m', { kind: 'nic', nic }),
      async () => {
        await here.attach('m', { kind: 'nic', nic });
        await expect(here.attach('m', { kind: 'nic', nic })).rejects.toBeInstanceOf(InvalidStateError);
        expect((await here.inspect('m'))?.spec.nics.map(({ name }) => name)).toContain('second');
        await here.detach('m', { kind: 'nic', name: 'second' });
        await expect(here.detach('m', { kind: 'nic', name: 'second' })).rejects.toBeInstanceOf(InvalidStateError);
      },
    );
    await here.remove('m');
  });

  test.each(['console', 'vnc'] as const)('a %s opens, or is rejected by name', async (what) => {
    const { here, spec } = await create();
    await here.start(spec('m'));
    await whereAble(
      here,
      what,
      () => here.open('m', what),
      async () => {
        (await here.open('m', what)).destroy();
      },
    );
    await here.remove('m');
  });
}
