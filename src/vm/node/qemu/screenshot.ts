import { constants } from 'node:fs';
import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { QEMU_FILES } from './command/qemu-command.ts';

/** More than any screen needs, so that a guest cannot fill the memory with one. */
const MAX_BYTES = 64 << 20;

/** Lets QEMU write a picture of the screen into the machine directory, and returns it as PNG. */
export async function takeScreenshot(
  directory: string,
  execute: (command: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>,
): Promise<Uint8Array> {
  const path = join(directory, QEMU_FILES.screendump);
  try {
    await execute('screendump', { filename: QEMU_FILES.screendump, format: 'png' });
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new RangeError(`the picture of the screen is larger than ${MAX_BYTES} bytes`);
    return await file.readFile();
  } finally {
    // QEMU may write to this file, and may not create another one.
    await truncate(path, 0).catch(() => undefined);
  }
}
