import { expect, test } from 'vitest';
import { NotSupportedError } from '../not-supported-error.ts';
import type { CreateDrivers } from './drivers-under-test.fixture.ts';

/** Tests that guests get what they need at their first boot. */
export function firstBootContract(create: CreateDrivers): void {
  test('a guest applies its user data, and reports that on the console', async () => {
    const { here, seeded } = await create();
    if (seeded === undefined) return;
    await here.start(seeded.spec('m'));
    const console = await here.open('m', 'console');
    try {
      expect(await readUntil(console, seeded.output)).toContain(seeded.output);
    } finally {
      console.destroy();
    }
    await here.remove('m');
  });

  test('what a driver cannot do at the first boot is rejected by name, and leaves nothing', async () => {
    const { here, spec, seeded } = await create();
    if (seeded === undefined) return;
    const efi = { ...spec('m').firmware, loader: 'efi' as const, machineType: 'unknown' };
    await expect(here.start({ ...spec('m'), firmware: efi })).rejects.toBeInstanceOf(NotSupportedError);
    expect(await here.list()).toEqual([]);
  });
}

/** Reads a console until it has printed a text, and returns all that it has printed. */
async function readUntil(stream: AsyncIterable<unknown>, text: string): Promise<string> {
  let printed = '';
  for await (const chunk of stream) {
    printed += String(chunk);
    if (printed.includes(text)) break;
  }
  return printed;
}
